const data = JSON.parse(document.getElementById("data").textContent);
const view = document.getElementById("view");
const more = document.getElementById("more");
const find = document.getElementById("find");
const HEIGHT = 20;
const SMALLEST = 0.3; // of a bar, in pixels

// A parent always comes before what is inside it.
const bars = data.names.map((name, i) => ({
  name, kind: data.kinds[i], parent: data.parents[i], self: data.selves[i], total: data.selves[i],
  count: data.counts[i], inside: [],
}));
const roots = [];
for (let i = bars.length - 1; i >= 0; --i) {
  const parent = bars[bars[i].parent];
  if (parent) {
    parent.total += bars[i].total;
    parent.inside.unshift(i);
  } else {
    roots.unshift(i);
  }
}
const all = roots.reduce((sum, i) => sum + bars[i].total, 0);
let chosen = -1;

function timeText(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= size) return (ns / size).toPrecision(4) + " " + unit;
  }
  return ns + " ns";
}

function describe(bar) {
  const share = all > 0 ? ` (${(100 * bar.total / all).toFixed(1)} %)` : "";
  const times = bar.count ? `, ${bar.count} time${bar.count > 1 ? "s" : ""}` : "";
  return `${bar.name}: ${timeText(bar.total)}${share}, itself ${timeText(bar.self)}${times}`;
}

function add(i, left, width, depth, isAbove, wanted) {
  const bar = bars[i];
  const box = document.createElement("div");
  box.className = bar.kind + (isAbove ? " above" : "") +
    (wanted && !bar.name.toLowerCase().includes(wanted) ? " dim" : "");
  box.style.left = left + "px";
  box.style.width = width + "px";
  box.style.top = depth * HEIGHT + "px";
  if (width > 24) box.textContent = bar.name;
  box.title = describe(bar);
  box.addEventListener("click", () => { chosen = i; draw(); });
  box.addEventListener("mouseenter", () => { more.textContent = describe(bar); });
  view.append(box);
}

// Draws without recursion, since calls may be nested deeply.
function draw() {
  view.textContent = "";
  const whole = view.clientWidth;
  const wanted = find.value.trim().toLowerCase();
  const above = [];
  for (let i = chosen < 0 ? -1 : bars[chosen].parent; i >= 0; i = bars[i].parent) above.unshift(i);
  above.forEach((i, depth) => add(i, 0, whole, depth, true, wanted));
  let deepest = above.length;
  const first = chosen < 0 ? roots : [chosen];
  const total = first.reduce((sum, i) => sum + bars[i].total, 0) || 1;
  const todo = [];
  const place = (list, left, depth) => {
    for (const i of list) {
      const width = whole * bars[i].total / total;
      if (width >= SMALLEST) todo.push([i, left, width, depth]);
      left += width;
    }
  };
  place(first, 0, above.length);
  while (todo.length) {
    const [i, left, width, depth] = todo.pop();
    add(i, left, width, depth, false, wanted);
    deepest = Math.max(deepest, depth);
    place(bars[i].inside, left, depth + 1);
  }
  view.style.height = (deepest + 1) * HEIGHT + "px";
  document.getElementById("status").textContent = statusText(wanted);
}

function statusText(wanted) {
  if (!wanted) return `${timeText(all)} of ${timeText(data.duration)} in operators`;
  // What stands inside another bar that was found is not counted again.
  const found = bars.map((bar) => bar.name.toLowerCase().includes(wanted));
  const inFound = [];
  let sum = 0;
  bars.forEach((bar, i) => {
    inFound[i] = bar.parent >= 0 && (inFound[bar.parent] || found[bar.parent]);
    if (found[i] && !inFound[i]) sum += bar.total;
  });
  return `${timeText(sum)} (${(100 * sum / (all || 1)).toFixed(1)} %) found`;
}

find.addEventListener("input", draw);
document.getElementById("reset").addEventListener("click", () => { chosen = -1; draw(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { chosen = -1; find.value = ""; draw(); }
});
window.addEventListener("resize", draw);
draw();
