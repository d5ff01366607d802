// What the page's scripts find around them: fields of the window, modules that the server makes, events of their own, and which elements are there.

// Sentences in the reader's language, which the server makes for each.
declare module "*/catalog.js" {
  export const catalog: any;
  export const language: string;
  export const owners: { errors: string[]; hint: string };
}

// Those of what is loaded later, which join the others.
declare module "*/later_catalog.js" {}
declare module "*/evaluations_catalog.js" {}

interface Window {
  gradio_config?: any; // of Gradio's page
  supports_zerogpu_headers?: boolean; // of the Hub's page around a Space
  studioMounts?: { push(mounted: any): unknown; splice?(from: number): any[] }; // Gradio's components, see kit/frame.js
  studio?: object; // what tests reach by name, see main.js
  studioPlayer?: EventTarget;
}

// The page's own events: what each tells is said where it is sent.
interface DocumentEventMap {
  "studio-act": CustomEvent;
  "studio-connection": CustomEvent<string>;
  "studio-place": CustomEvent;
  "studio-recording": CustomEvent<boolean>;
  "studio-voted": CustomEvent;
}

// All that is looked for, pressed and focused is HTML: drawings (SVG) are made and thrown away, and take no press.
interface ParentNode {
  querySelector<Tag extends keyof HTMLElementTagNameMap>(selectors: Tag): HTMLElementTagNameMap[Tag] | null;
  querySelector<Found extends Element = HTMLElement>(selectors: string): Found | null;
  querySelectorAll<Tag extends keyof HTMLElementTagNameMap>(selectors: Tag): NodeListOf<HTMLElementTagNameMap[Tag]>;
  querySelectorAll<Found extends Element = HTMLElement>(selectors: string): NodeListOf<Found>;
}

interface Element {
  closest<Tag extends keyof HTMLElementTagNameMap>(selectors: Tag): HTMLElementTagNameMap[Tag] | null;
  closest<Found extends Element = HTMLElement>(selectors: string): Found | null;
}

interface Document {
  readonly activeElement: HTMLElement | null;
}

interface UIEvent {
  readonly target: HTMLElement;
}

// What went wrong. code, values: of a sentence of assets/words/; fact, hint: in words already.
interface Problem {
  code?: string;
  values?: Record<string, any>;
  fact?: string;
  hint?: string;
}
