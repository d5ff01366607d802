"""Style of an evaluation's report, on top of that of listening tests'."""

from studio.reports.palette import LIGHT
from studio.reports.report_style import css_of_report

__all__ = ["css_of_evaluation"]

# A sound's row has fixed columns, so that systems stand under each other. What is far below is laid out when somebody comes there. On
# paper are the fifty worst.
_RULES = """
h3 { margin: 0; font-size: 14px; font-weight: 600; overflow-wrap: anywhere; }
small { color: var(--ink-soft); font-size: 12px; white-space: nowrap; display: block; }
b { font-weight: 750; }
a { color: var(--accent); }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 0; padding: 0; font-size: 13px; }
nav a { display: inline-block; padding: 4px 0; }
.plots.beside { grid-template-columns: repeat(auto-fit, minmax(min(100%, 310px), 1fr)); gap: 16px; }
.lines { margin: 0; padding-inline-start: 20px; display: grid; gap: 4px; }
.parts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 24px; align-items: start; }
.part { display: grid; grid-template-columns: minmax(0, 1fr); gap: 6px; }
.care, small.care { color: var(--care); }
small.good { color: var(--ready); }
.lead { font-size: 16px; }
.passed::before { content: "✓ "; color: var(--ready); font-weight: 700; }
.failed::before { content: "✗ "; color: var(--care); font-weight: 700; }
.gate { list-style: none; padding: 0; }
.legend { color: var(--ink-soft); }
.soft { color: var(--ink-soft); }
del { color: var(--care); text-decoration: line-through; text-decoration-thickness: 2px; }
ins { color: var(--accent); font-weight: 650; text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: 3px; }
#choose:not([hidden]) { display: flex; flex-wrap: wrap; gap: 12px 20px; align-items: center; }
#choose label { display: flex; gap: 8px; align-items: center; color: var(--ink-soft); font-size: 12px; font-weight: 600; }
select { min-height: 32px; max-width: 60vw; padding: 4px 8px; font: inherit; font-size: 14px; font-weight: 400;
  color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
select:focus-visible, audio:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
output { color: var(--ink-soft); font-variant-numeric: tabular-nums; }
#sounds { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0; }
article { display: grid; grid-template-columns: minmax(0, 1fr); gap: 6px; padding: 16px 0; border-top: 1px solid var(--line);
  content-visibility: auto; contain-intrinsic-size: auto 190px; }
article[hidden] { display: none; }
article ul { list-style: none; margin: 4px 0 0; padding: 0; display: grid; gap: 6px; }
li > b { font-weight: 600; overflow-wrap: anywhere; }
article li { display: grid; grid-template-columns: minmax(0, 150px) 240px minmax(0, 1fr); gap: 4px 16px; align-items: center; }
article li > p { grid-column: 2 / -1; }
.player { min-height: 36px; }
audio { display: block; width: 240px; height: 36px; }
.fs { display: grid; grid-template-columns: repeat(auto-fit, minmax(84px, 1fr)); gap: 4px 12px; font-variant-numeric: tabular-nums; }
.fs i { display: block; font-style: normal; font-size: 11px; color: var(--ink-soft); }
.fs em { font-style: normal; font-weight: 650; color: var(--care); }
.heard { color: var(--ink-soft); font-size: 13px; }
@media (max-width: 720px) {
  article li { grid-template-columns: minmax(0, 1fr); padding-bottom: 8px; }
  article li > p { grid-column: 1; }
  audio { width: 100%; }
  .fs { grid-template-columns: repeat(3, minmax(0, 1fr)); }
}
.paper { display: none; }
@media print {
  .player, nav, #choose { display: none !important; }
  .paper { display: block; }
  .scroll { overflow: visible; background: none; }
  body, table, .fs { font-size: 11px; }
  th, td { padding: 3px 4px; }
  thead th { font-size: 10px; }
  small { font-size: 9px; }
  article { content-visibility: visible; break-inside: avoid; }
  article:nth-child(n + 51) { display: none; }
  section { break-inside: auto; padding: 12px 0; border: 0; }
  .part, tr { break-inside: avoid; }
  article { padding: 8px 0; gap: 2px; }
  article ul { gap: 2px; }
  article li { grid-template-columns: minmax(0, 120px) minmax(0, 1fr); padding: 0; gap: 0 12px; }
  article li > p { grid-column: 2; font-size: 11px; }
  .fs { grid-template-columns: repeat(auto-fit, minmax(60px, 1fr)); gap: 0 8px; }
  .fs i { font-size: 9px; }
}
"""


def css_of_evaluation() -> str:
    """For a `style` element: it holds no markup and names no address. On paper it is light."""
    ink = " ".join(f"--{name}: {color};" for name, color in LIGHT.items())
    return f"{css_of_report()}{_RULES}@media print {{ :root {{ color-scheme: light; {ink} }} }}\n"
