// Language selects: codes come from the chosen engine, names from the browser, in the reader's own language.
(() => {
  const studio = (window.studio ??= {});

  const names = new Intl.DisplayNames(undefined, { type: "language" });

  function nameOf(code) {
    try {
      return names.of(code);
    } catch {
      return code; // not every engine code is a BCP 47 tag
    }
  }

  class LanguageSelect {
    // unset: what no choice is called. The chosen code is the component's value, so that Python gets it as an input.
    constructor({ element, props, watch }, unset) {
      this._select = element.querySelector("select");
      this._props = props;
      this._unset = unset;
      this._select.addEventListener("change", () => (props.value = this._select.value));
      watch("value", () => (this._select.value = props.value ?? ""));
      document.addEventListener("studio-choice", () => this._show());
      this._show();
    }

    get value() {
      return this._select.value;
    }

    _show() {
      const codes = studio.options?.choice.languages ?? [];
      if (codes.join() === this._codes) return;
      this._codes = codes.join();
      const known = codes.map((code) => [nameOf(code), code]).sort(([one], [other]) => one.localeCompare(other));
      const wanted = codes.includes(this._select.value) ? this._select.value : "";
      const entries = [[this._unset, ""], ...known];
      this._select.replaceChildren(...entries.map(([textContent, value]) => studio.make("option", { textContent, value })));
      this._select.value = wanted;
    }
  }

  studio.onMount("clip-language", (tools) => {
    studio.clipLanguage = new LanguageSelect(tools, "Not said");
  });
  studio.onMount("text-language", (tools) => {
    studio.textLanguage = new LanguageSelect(tools, "Automatic");
  });
})();
