"""Style of reports: light, and dark for readers who prefer it. It uses the page's tokens, and fetches nothing."""

from studio.reports.palette import DARK, LIGHT

__all__ = ["css_of_report"]

_RULES = """
* { box-sizing: border-box; }
body { margin: 0; padding: 32px 24px 64px; background: var(--paper); color: var(--ink);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 24px; max-width: 1180px; margin: 0 auto; }
h1, h2 { margin: 0; line-height: 1.3; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h1 { font-size: 20px; font-weight: 650; }
h2 { font-size: 16px; font-weight: 650; }
header { display: grid; gap: 8px; }
p { margin: 0; overflow-wrap: anywhere; }
section { display: grid; grid-template-columns: minmax(0, 1fr); gap: 14px;
  padding: 24px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.claim { font-size: 28px; font-weight: 650; line-height: 1.3; letter-spacing: -0.02em; text-wrap: pretty; }
.chips { display: flex; flex-wrap: wrap; gap: 8px; }
.chip { padding: 2px 10px; border-radius: 999px; background: var(--sunk); color: var(--ink-soft); font-size: 12px; font-weight: 600; }
.chip.ready { background: var(--ready-wash); color: var(--ready); }
.chip.care { background: var(--care-wash); color: var(--care); }
.notes { margin: 0; padding-left: 20px; color: var(--ink-soft); }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 24px; align-items: start; }
.scroll > svg { display: block; width: 100%; height: auto; }
.scroll { overflow-x: auto; background: linear-gradient(to right, var(--card), transparent) 0 0 / 40px 100% no-repeat local,
  linear-gradient(to left, var(--card), transparent) 100% 0 / 40px 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) 0 0 / 12px 100% no-repeat,
  linear-gradient(to left, var(--line), transparent) 100% 0 / 12px 100% no-repeat; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 8px 12px; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: break-word; }
thead th { color: var(--ink-soft); font-size: 12px; font-weight: 600; }
tbody th { font-weight: 600; }
tbody tr:last-child > * { border-bottom: 0; }
.figure { text-align: right; }
td.figure { white-space: nowrap; }
code { font: 12px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
td code { display: inline-block; min-width: 17em; }
dl { display: grid; grid-template-columns: minmax(120px, max-content) minmax(0, 1fr); gap: 4px 24px; margin: 0; }
dt { color: var(--ink-soft); }
dd { margin: 0; overflow-wrap: anywhere; }
ol { margin: 0; padding-left: 28px; overflow-wrap: anywhere; }
@media (max-width: 600px) {
  body { padding: 16px 16px 32px; }
  main { gap: 16px; }
  section { padding: 16px; }
  .claim { font-size: 22px; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: 8px; }
}
@media print {
  body { padding: 0; }
  section { break-inside: avoid; }
}
"""


def css_of_report() -> str:
    """For a `style` element: it holds no markup and names no address."""
    dark = f"@media (prefers-color-scheme: dark) {{ :root {{ {_tokens(DARK)} }} }}"
    return f":root {{ color-scheme: light dark; {_tokens(LIGHT)} }}\n{dark}{_RULES}"


def _tokens(colors: dict[str, str]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors.items())
