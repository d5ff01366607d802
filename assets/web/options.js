// The fields of one engine's options, made from the schema that the engine declares. Names and summaries are set as text.
(() => {
  const studio = (window.studio ??= {});

  const { make } = studio;
  // "first_block_seconds" in "s" -> "First block (s)": a unit is said once
  function captionOf({ name, unit }) {
    const words = name.split("_");
    const last = words[words.length - 1];
    if (unit && words.length > 1 && last.startsWith(unit)) words.pop();
    const caption = words.join(" ");
    return `${caption[0].toUpperCase()}${caption.slice(1)}${unit ? ` (${unit})` : ""}`;
  }

  function controlOf(option, id) {
    const { kind, default: preset, minimum, maximum, choices } = option;
    if (kind === "bool") return make("input", { id, type: "checkbox", checked: Boolean(preset) });
    if (kind === "choice") {
      const unset = preset === null ? [make("option", { value: "", textContent: "Automatic" })] : [];
      const select = make("select", { id }, ...unset, ...choices.map((choice) => make("option", { value: choice, textContent: choice })));
      select.value = preset ?? "";
      return select;
    }
    const most = maximum === null ? "" : Math.min(maximum, Number.MAX_SAFE_INTEGER); // a JSON number beyond it would be another number
    const step = kind === "int" ? 1 : "any";
    return make("input", { id, type: "number", step, min: minimum ?? "", max: most, value: preset ?? "", placeholder: "Automatic" });
  }

  function valueOf({ kind }, control) {
    if (kind === "bool") return control.checked;
    if (kind === "choice") return control.value || null;
    return control.value === "" ? null : Number(control.value);
  }

  class Options {
    constructor({ element, props, watch }) {
      this._element = element.querySelector(".options");
      this.language = new studio.LanguageSelect(element.querySelector(".select"), "Automatic");
      this._props = props;
      this._engine = null;
      watch("value", () => this._show());
      this._show();
    }

    // What the page knows about the chosen engine and voice: { engine, title, sample_rate, options, voice_is_stored }
    get choice() {
      return this._props.value ?? {};
    }

    // Only what differs from the default, so that the request says what the person changed.
    read() {
      const changed = {};
      for (const [option, control] of this._controls ?? []) {
        const value = valueOf(option, control);
        if (value !== null && value !== option.default) changed[option.name] = value;
      }
      return changed;
    }

    _show() {
      document.dispatchEvent(new Event("studio-choice"));
      const { engine, options = [] } = this.choice;
      if (engine === this._engine) return; // the same engine again: keep what was typed
      this._engine = engine;
      this._controls = options.map((option) => [option, controlOf(option, `option-${option.name}`)]);
      this._element.replaceChildren(
        this._element.firstElementChild, // the language
        ...this._controls.map(([option, control]) => {
          const caption = make("label", { htmlFor: control.id, textContent: captionOf(option) });
          return make("div", { className: "option", title: option.summary }, caption, control);
        }),
      );
    }
  }

  studio.onMount("options", (tools) => {
    studio.options = new Options(tools);
  });
})();
