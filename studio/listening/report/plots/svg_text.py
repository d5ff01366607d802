"""SVG text: writes the text of a plot as text into SVG. So a reader can read it, search it, and see it in their own fonts.

Imports matplotlib; only plots.py imports this, when it draws.
"""

from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.colors import to_hex
from matplotlib.font_manager import weight_dict

from studio.listening.report.plots.plot_canvas import drawable_text

__all__ = ["WordedRenderer"]

FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"  # --sans of assets/web/styles/tokens.css
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


class WordedRenderer(RendererSVG):
    """Whatever the setting `svg.fonttype` says. Text is of one line and without formulas, as plot_canvas.py makes it."""

    def draw_text(self, gc, x, y, *written, mtext=None, **_):
        """x, y: the left end of the base line, in points from the upper left corner. written: text, font, angle."""
        (text, prop, angle), anchor = written, "start"
        if mtext is not None and not angle:
            x = mtext.get_transform().transform(mtext.get_unitless_position())[0]
            anchor = _ANCHORS[mtext.get_ha()]
        weight = prop.get_weight()
        style = f"font: {weight_dict.get(weight, weight)} {prop.get_size_in_points():g}px {FAMILY}; fill: {to_hex(gc.get_rgb())}"
        placed = {"transform": f"translate({x:.2f} {y:.2f}) rotate({-angle:g})"} if angle else {"x": f"{x:.2f}", "y": f"{y:.2f}"}
        self.writer.element("text", text, attrib={"style": f"{style}; text-anchor: {anchor}", **placed})

    def get_text_width_height_descent(self, s, prop, ismath):
        """Of the text as the fonts at hand would draw it."""
        return super().get_text_width_height_descent(drawable_text(s), prop, False)
