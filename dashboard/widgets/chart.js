// A chart: Plotly is loaded once per page, when the first chart becomes visible.

const charts = new WeakMap();
let loading = null;
const PAPER_PIXELS = 640; // fits upright A4 and Letter

export default function ({ data, parentElement, setStateValue }) {
  const place = parentElement.querySelector(".plot");
  let chart = charts.get(place);
  if (!chart) {
    chart = { seen: false };
    charts.set(place, chart);
    chart.sight = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      chart.sight.disconnect();
      chart.seen = true;
      draw(place, chart);
    }, { rootMargin: "200px" });
    chart.sight.observe(place);
    chart.dark = matchMedia("(prefers-color-scheme: dark)");
    chart.dark.addEventListener("change", chart.again = () => draw(place, chart));
    chart.paper = () => {
      if (!window.Plotly) return;
      chart.seen = true;
      draw(place, chart).then(() => window.Plotly.relayout(place, { autosize: false, width: PAPER_PIXELS }));
    };
    chart.screen = () => chart.look && window.Plotly.relayout(place, { autosize: true, width: null });
    addEventListener("beforeprint", chart.paper);
    addEventListener("afterprint", chart.screen);
  }
  chart.choose = (point) => setStateValue("point", point);
  place.style.height = `${data.figure.layout.height}px`; // nothing moves when it is drawn
  delete place.dataset.empty;
  place.setAttribute("aria-label", data.alt);
  place.classList.toggle("choose", data.can_choose);
  chart.data = data;
  draw(place, chart);
  return () => {
    chart.sight.disconnect();
    chart.dark.removeEventListener("change", chart.again);
    removeEventListener("beforeprint", chart.paper);
    removeEventListener("afterprint", chart.screen);
    if (window.Plotly) window.Plotly.purge(place);
    charts.delete(place);
  };
}

function load(address) {
  loading ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = done;
    script.onerror = () => {
      loading = null; // the next chart asks again
      fail(new Error(address));
    };
    document.head.append(script);
  });
  return loading;
}

async function draw(place, chart) {
  if (!chart.seen) return;
  const style = getComputedStyle(place);
  const look = JSON.stringify([chart.data.figure, chart.data.chosen, style.color]);
  if (look === chart.look) return;
  await load(chart.data.plotly);
  if (!place.isConnected) return;
  chart.look = look;
  const { figure, chosen } = chart.data;
  await window.Plotly.react(place, chosen ? marked(figure.data, chosen) : figure.data, themed(figure.layout, style), {
    displayModeBar: false,
    responsive: true,
  });
  if (chart.listening) return;
  chart.listening = true;
  place.on("plotly_click", ({ points }) => {
    const row = [points[0].customdata].flat().at(-1);
    if (!chart.data.can_choose || !Number.isInteger(row)) return;
    const now = chart.data.chosen;
    const trace = points[0].curveNumber;
    chart.choose(now?.row === row && now?.trace === trace ? null : { row, trace });
  });
}

// Highlights the selected point: the others fade.
function marked(traces, chosen) {
  return traces.map((trace, index) => {
    const rows = (trace.customdata ?? []).map((data) => [data].flat().at(-1));
    const selectedpoints = rows.flatMap((row, place) => (index === chosen.trace && row === chosen.row ? [place] : []));
    return { ...trace, selectedpoints };
  });
}

function themed(layout, style) {
  const line = style.getPropertyValue("--st-border-color") || "rgba(128, 128, 128, 0.3)";
  const axis = (own = {}) => ({
    ...{ gridcolor: line, zerolinecolor: line, linecolor: line, automargin: true },
    showgrid: own.type !== "category",
    ...own,
    title: { ...own.title, font: { size: 13 } },
  });
  return {
    ...layout,
    autosize: true,
    font: { family: style.fontFamily, size: 13, color: style.color },
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    xaxis: axis(layout.xaxis),
    yaxis: axis(layout.yaxis),
    hoverlabel: { align: "left", font: { family: style.fontFamily } },
  };
}
