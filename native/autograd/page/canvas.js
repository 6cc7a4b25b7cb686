// Draws a view that has been laid out, as much of it as is in sight and as finely as the zoom can show.

const FONT = 'ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
const TITLE_FONT = `12px ${FONT}`;
const SMALL_FONT = `11px ${FONT}`;
const LONGEST_TEXT = 36;
const COLORS = {
  leaf: ['#dbeafe', '#2563eb'],
  operation: ['#fef3c7', '#b45309'],
  result: ['#dcfce7', '#15803d'],
  folded: ['#ede9fe', '#6d28d9'],
};

const shortened = text => {
  const letters = [...text];
  return letters.length > LONGEST_TEXT ? `${letters.slice(0, LONGEST_TEXT - 1).join('')}…` : text;
};

class Canvas {
  constructor(element) {
    this.element = element;
    this.context = element.getContext('2d');
    this.camera = { scale: 1, x: 0, y: 0 }; // where the origin of the graph is on the element, in pixels
    this.view = { boxes: [], arrows: [], groups: new Map() };
    this.bounds = { x0: 0, x1: 0, y0: 0, y1: 0 };
    this.lit = null; // boxes that are not faded
    this.found = new Set();
    this.selected = -1;
  }

  /** The lines of a box, and its size. */
  measure(box, lines) {
    box.lines = lines.filter(Boolean).map(shortened);
    this.context.font = TITLE_FONT;
    let width = this.context.measureText(box.lines[0]).width;
    this.context.font = SMALL_FONT;
    for (const line of box.lines.slice(1)) width = Math.max(width, this.context.measureText(line).width);
    box.width = width + 20;
    box.height = 10 + 15 * box.lines.length;
  }

  measureGroup(group, label) {
    group.label = shortened(label);
    this.context.font = SMALL_FONT;
    group.labelWidth = this.context.measureText(`▾ ${group.label}`).width + 24;
  }

  show(view, bounds) {
    this.view = view;
    this.bounds = bounds;
    this.around = view.boxes.map(() => []);
    for (const arrow of view.arrows) {
      this.around[arrow.from].push(arrow);
      this.around[arrow.to].push(arrow);
    }
    this.draw();
  }

  size() { return { width: this.element.clientWidth, height: this.element.clientHeight }; }

  /** Draws before the next frame of the screen; many wishes make one drawing. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const begin = performance.now();
      this.drawNow();
      this.milliseconds = performance.now() - begin;
      document.body.dataset.scale = this.camera.scale.toFixed(4);
      document.body.dataset.x = this.camera.x.toFixed(1);
      document.body.dataset.y = this.camera.y.toFixed(1);
    });
  }

  drawNow() {
    const ratio = window.devicePixelRatio || 1;
    const { width, height } = this.size();
    if (this.element.width !== Math.round(width * ratio)) this.element.width = Math.round(width * ratio);
    if (this.element.height !== Math.round(height * ratio)) this.element.height = Math.round(height * ratio);
    const { scale, x, y } = this.camera;
    const c = this.context;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.element.width, this.element.height);
    c.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y);
    this.sight = { x0: -x / scale, y0: -y / scale, x1: (width - x) / scale, y1: (height - y) / scale };
    this.drawGroups();
    this.drawArrows();
    for (const [kind, colors] of Object.entries(COLORS)) this.drawBoxes(kind, colors);
  }

  inSight(x0, y0, x1, y1) {
    return x1 >= this.sight.x0 && x0 <= this.sight.x1 && y1 >= this.sight.y0 && y0 <= this.sight.y1;
  }

  drawGroups() {
    const c = this.context;
    const groups = [...this.view.groups.values()].sort((a, b) => a.depth - b.depth);
    c.textAlign = 'left';
    c.textBaseline = 'middle';
    for (const group of groups) {
      const left = group.x - group.width / 2;
      if (!this.inSight(left, group.y0, left + group.width, group.y1)) continue;
      c.globalAlpha = 1;
      c.fillStyle = group.depth % 2 ? '#f5f5f5' : '#fafafa';
      c.strokeStyle = '#c4c8d0';
      c.lineWidth = 1;
      c.beginPath();
      c.roundRect(left, group.y0, group.width, group.y1 - group.y0, 8);
      c.fill();
      c.stroke();
      if (this.camera.scale < 0.3) continue;
      c.font = SMALL_FONT;
      c.fillStyle = '#6b7280';
      c.fillText(`▾ ${group.label}`, left + 10, group.y0 + 13);
    }
  }

  drawArrows() {
    const c = this.context;
    const fine = this.camera.scale > 0.12;
    for (const faded of [true, false]) {
      const tips = [];
      for (const dashed of [false, true]) {
        c.beginPath();
        for (const arrow of this.view.arrows) {
          if (Boolean(arrow.back) !== dashed || this.isFaded(arrow) !== faded) continue;
          if (!this.inSight(arrow.x0, arrow.y0, arrow.x1, arrow.y1)) continue;
          this.trace(arrow.points, fine);
          tips.push(arrow);
        }
        c.globalAlpha = faded ? 0.15 : 1;
        c.strokeStyle = '#8b93a1';
        c.lineWidth = fine ? 1.2 : 1.5;
        c.setLineDash(dashed ? [5, 4] : []);
        c.stroke();
      }
      c.setLineDash([]);
      if (this.camera.scale > 0.3) this.drawTips(tips);
    }
    c.globalAlpha = 1;
  }

  isFaded(arrow) { return Boolean(this.lit) && !(this.lit.has(arrow.from) && this.lit.has(arrow.to)); }

  trace(points, fine) {
    const c = this.context;
    c.moveTo(points[0], points[1]);
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
      if (!fine || x0 === x1) {
        c.lineTo(x1, y1);
      } else {
        const half = (y0 + y1) / 2;
        c.bezierCurveTo(x0, half, x1, half, x1, y1);
      }
    }
  }

  drawTips(arrows) {
    const c = this.context;
    c.fillStyle = '#8b93a1';
    c.font = SMALL_FONT;
    c.textAlign = 'left';
    c.beginPath();
    for (const { points, count } of arrows) {
      const x = points[points.length - 2];
      const y = points[points.length - 1];
      c.moveTo(x, y);
      c.lineTo(x - 3.5, y - 7);
      c.lineTo(x + 3.5, y - 7);
      if (count > 1) c.fillText(`${count}×`, x + 6, y - 9);
    }
    c.fill();
  }

  drawBoxes(kind, [fill, stroke]) {
    const c = this.context;
    const { scale } = this.camera;
    const withText = scale > 0.28;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    this.view.boxes.forEach((box, i) => {
      if (box.kind !== kind) return;
      const left = box.x - box.width / 2;
      const top = box.y - box.height / 2;
      if (!this.inSight(left, top, left + box.width, top + box.height)) return;
      c.globalAlpha = this.lit && !this.lit.has(i) ? 0.18 : 1;
      c.fillStyle = fill;
      if (!withText) {
        c.fillStyle = this.found.has(i) ? '#dc2626' : scale < 0.1 ? stroke : fill;
        const least = 1.5 / scale; // still to be seen when far away
        c.fillRect(left, top, Math.max(box.width, least), Math.max(box.height, least));
        if (scale < 0.1) return;
      }
      c.strokeStyle = this.found.has(i) ? '#dc2626' : stroke;
      c.lineWidth = this.found.has(i) || this.selected === i ? 2.5 : 1.2;
      if (!withText) {
        c.strokeRect(left, top, box.width, box.height);
        return;
      }
      c.beginPath();
      c.roundRect(left, top, box.width, box.height, kind === 'operation' ? 9 : 3);
      c.fill();
      c.stroke();
      box.lines.forEach((line, k) => {
        c.font = k ? SMALL_FONT : TITLE_FONT;
        c.fillStyle = k ? '#4b5563' : '#111827';
        c.fillText(line, box.x, top + 13 + 15 * k);
      });
    });
    c.globalAlpha = 1;
  }

  // ---- where things are ----

  toGraph(x, y) {
    const { camera } = this;
    return [(x - camera.x) / camera.scale, (y - camera.y) / camera.scale];
  }

  boxAt(x, y) {
    const [gx, gy] = this.toGraph(x, y);
    return this.view.boxes.findIndex(b => Math.abs(gx - b.x) <= b.width / 2 && Math.abs(gy - b.y) <= b.height / 2);
  }

  /** The open module whose heading is at a point. */
  headingAt(x, y) {
    const [gx, gy] = this.toGraph(x, y);
    const hit = [...this.view.groups.values()].filter(
      g => Math.abs(gx - g.x) <= g.width / 2 && gy >= g.y0 && gy <= g.y0 + GROUP_HEADER + 4);
    return hit.sort((a, b) => b.depth - a.depth)[0];
  }

  zoom(factor, x, y) {
    const { camera } = this;
    const scale = Math.min(4, Math.max(1e-4, camera.scale * factor));
    camera.x = x - (x - camera.x) * (scale / camera.scale);
    camera.y = y - (y - camera.y) * (scale / camera.scale);
    camera.scale = scale;
    this.draw();
  }

  pan(dx, dy) {
    this.camera.x += dx;
    this.camera.y += dy;
    this.draw();
  }

  center(x, y, scale = this.camera.scale) {
    const { width, height } = this.size();
    this.camera = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale };
    this.draw();
  }

  /** Shows all. `least`: no smaller than this; then the end of the graph, where the result is. */
  fit(least = 0) {
    const { x0, x1, y0, y1 } = this.bounds;
    const { width, height } = this.size();
    const whole = Math.min((width - 40) / Math.max(x1 - x0, 1), (height - 40) / Math.max(y1 - y0, 1), 1.25);
    const scale = Math.max(whole, least, 1e-4);
    const y = scale > whole ? Math.max(y1 - (height / 2 - 40) / scale, (y0 + y1) / 2) : (y0 + y1) / 2;
    const last = this.view.boxes.find(box => box.kind === 'result');
    this.center(scale > whole && last && (x1 - x0) * scale > width ? last.x : (x0 + x1) / 2, y, scale);
  }

  /** A box with all that it depends on and all that depends on it. */
  reach(start) {
    const reached = new Set([start]);
    for (const [here, there] of [['from', 'to'], ['to', 'from']]) {
      const open = [start];
      const seen = new Set(open);
      while (open.length) {
        const at = open.pop();
        for (const arrow of this.around[at]) {
          if (arrow[here] !== at || seen.has(arrow[there])) continue;
          seen.add(arrow[there]);
          open.push(arrow[there]);
        }
      }
      for (const box of seen) reached.add(box);
    }
    return reached;
  }
}
