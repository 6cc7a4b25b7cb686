// Ties model, layout, canvas and panels together, and asks a live view's server for news.

const PAUSE = 400; // milliseconds between two questions to the server
const READABLE = 0.8; // the page does not begin with smaller text than this

class Page {
  constructor() {
    this.canvas = new Canvas(byId('view'));
    this.panels = new Panels({ goTo: node => this.goTo(node), toggle: module => this.toggle(module) });
    this.model = null;
    this.isLive = false;
    this.word = '';
    this.listen();
  }

  /** Shows a graph; keeps what the user has chosen where it is the one of before, of another step. */
  take(data) {
    const model = new Model(data);
    if (this.model?.update(model)) {
      this.labelBoxes();
      this.canvas.draw();
      this.refreshPanels();
      return;
    }
    if (this.model) model.foldLike(this.model);
    else model.foldToFit();
    const isFirst = !this.model;
    this.model = model;
    this.select(-1);
    this.layOut();
    if (isFirst) this.canvas.fit(READABLE);
    this.search();
  }

  lines(box) {
    if (box.kind === 'folded') {
      const module = this.model.modules[box.module];
      const type = module.type === module.name ? '' : `${module.type} · `;
      return [`▸ ${module.name}`, `${type}${module.all} ${module.all === 1 ? 'box' : 'boxes'}`];
    }
    const node = this.model.nodes[box.node];
    const norm = node.grad_norm === undefined ? '' : `‖grad‖ ${normText(node.grad_norm)}`;
    return [box.repeated ? `${node.name} ↺` : node.name, node.shape, norm];
  }

  labelBoxes() {
    for (const box of this.canvas.view.boxes) box.lines = this.lines(box).filter(Boolean).map(shortened);
  }

  layOut() {
    const begin = performance.now();
    const view = this.model.view();
    for (const box of view.boxes) this.canvas.measure(box, this.lines(box));
    for (const [id, group] of view.groups) {
      const { name, type } = this.model.modules[id];
      this.canvas.measureGroup(group, name === type ? name : `${name}: ${type}`);
    }
    const layout = new Layout(view);
    this.layoutMilliseconds = performance.now() - begin;
    this.canvas.lit = null;
    this.canvas.selected = -1;
    this.canvas.show(view, layout.bounds);
    this.refreshPanels();
    this.markFound();
    document.body.dataset.shown = view.boxes.length;
    document.body.dataset.total = this.model.nodes.length;
    document.body.dataset.layout = this.layoutMilliseconds.toFixed(0);
  }

  refreshPanels() {
    this.panels.showModules(this.model);
    this.panels.showParameters(this.model, this.isLive);
    const box = this.canvas.view.boxes[this.canvas.selected];
    this.panels.showBox(this.model, box ?? null);
    const kept = this.model.keptBytes ? `, ${sizeText(this.model.keptBytes)} kept for backward` : '';
    this.summary = `${this.model.nodes.length} boxes${kept}`;
    this.tell();
  }

  tell(text = this.news) {
    this.news = text;
    byId('status').textContent = [text, this.summary].filter(Boolean).join(' · ');
  }

  // ---- what a user does ----

  toggle(module) {
    const { folded } = this.model;
    if (!folded.delete(module)) folded.add(module);
    this.keepInPlace(module, () => this.layOut());
  }

  /** Lays out again so that a module stays where it is on the screen. */
  keepInPlace(module, change) {
    const place = () => {
      const group = this.canvas.view.groups.get(module);
      if (group) return [group.x, group.y0 + 13];
      const box = this.canvas.view.boxes.find(one => one.module === module);
      return box ? [box.x, box.y] : null;
    };
    const before = place();
    change();
    const after = place();
    if (!before || !after) return;
    const { scale } = this.canvas.camera;
    this.canvas.pan((before[0] - after[0]) * scale, (before[1] - after[1]) * scale);
  }

  foldAll(fold) {
    this.model.folded = new Set(fold ? this.model.modules.map(m => m.id) : []);
    this.layOut();
    this.canvas.fit(READABLE);
  }

  select(at) {
    this.canvas.selected = at;
    this.canvas.lit = at < 0 ? null : this.canvas.reach(at);
    this.panels.showBox(this.model, this.canvas.view.boxes[at] ?? null);
    this.canvas.draw();
  }

  goTo(node) {
    this.model.reveal(node);
    this.layOut();
    const at = this.canvas.view.boxes.findIndex(box => box.node === node);
    this.select(at);
    const { x, y } = this.canvas.view.boxes[at];
    this.canvas.center(x, y, Math.max(this.canvas.camera.scale, READABLE));
  }

  search(word = this.word) {
    this.word = word;
    this.matches = new Set(this.model.search(word));
    this.panels.showResults(this.model, [...this.matches]);
    this.markFound();
    document.body.dataset.found = this.matches.size;
  }

  /** Marks the boxes that a search has found; a folded module where one of its own is. */
  markFound() {
    if (!this.matches) return;
    const folded = new Set([...this.matches].map(node => this.model.foldedAround(this.model.nodes[node].module)));
    this.canvas.found = new Set();
    this.canvas.view.boxes.forEach((box, i) => {
      if (box.kind === 'folded' ? folded.has(box.module) : this.matches.has(box.node)) this.canvas.found.add(i);
    });
    this.canvas.draw();
  }

  listen() {
    const view = byId('view');
    const { canvas } = this;
    const middle = () => [canvas.size().width / 2, canvas.size().height / 2];
    let start = null;
    view.addEventListener('wheel', event => {
      event.preventDefault();
      canvas.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY);
    }, { passive: false });
    view.addEventListener('pointerdown', event => {
      start = { x: event.offsetX, y: event.offsetY, moved: false };
      view.setPointerCapture(event.pointerId);
    });
    view.addEventListener('pointermove', event => {
      if (!start) return;
      if (Math.abs(event.offsetX - start.x) + Math.abs(event.offsetY - start.y) > 3) start.moved = true;
      if (!start.moved) return;
      view.classList.add('moving');
      canvas.pan(event.movementX, event.movementY);
    });
    view.addEventListener('pointerup', event => {
      view.classList.remove('moving');
      if (start && !start.moved && this.model) this.click(event.offsetX, event.offsetY);
      start = null;
    });
    view.addEventListener('dblclick', event => this.open(event.offsetX, event.offsetY));
    view.addEventListener('keydown', event => this.key(event, middle()));
    byId('zoom-in').addEventListener('click', () => canvas.zoom(1.3, ...middle()));
    byId('zoom-out').addEventListener('click', () => canvas.zoom(1 / 1.3, ...middle()));
    byId('fit').addEventListener('click', () => canvas.fit());
    byId('fold-all').addEventListener('click', () => this.model && this.foldAll(true));
    byId('unfold-all').addEventListener('click', () => this.model && this.foldAll(false));
    byId('find').addEventListener('input', event => this.model && this.search(event.target.value));
    byId('find').addEventListener('keydown', event => { if (event.key === 'Enter') this.panels.go(); });
    addEventListener('resize', () => canvas.draw());
  }

  click(x, y) {
    const box = this.canvas.boxAt(x, y);
    const heading = box < 0 ? this.canvas.headingAt(x, y) : null;
    if (heading) this.toggle(heading.module);
    else this.select(box);
  }

  open(x, y) {
    const box = this.canvas.view.boxes[this.canvas.boxAt(x, y)];
    if (box?.kind === 'folded') this.toggle(box.module);
  }

  key(event, middle) {
    const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
    if (steps[event.key]) this.canvas.pan(...steps[event.key]);
    else if (event.key === '+' || event.key === '=') this.canvas.zoom(1.3, ...middle);
    else if (event.key === '-') this.canvas.zoom(1 / 1.3, ...middle);
    else if (event.key === '0') this.canvas.fit();
    else if (event.key === 'Escape') this.select(-1);
    else return;
    event.preventDefault();
  }

  // ---- live ----

  /** Asks for one graph after the other while the page is looked at; the server does nothing for it otherwise. */
  async follow() {
    this.isLive = true;
    let version = 0;
    this.tell('waiting for the first step');
    for (;;) {
      await new Promise(done => setTimeout(done, PAUSE));
      if (document.hidden) continue;
      try {
        const answer = await fetch(`graph?after=${version}`, { cache: 'no-store' });
        if (answer.status === 204) continue;
        if (!answer.ok) throw new Error(`the server says ${answer.status}`);
        const news = await answer.json();
        version = news.version;
        byId('status').className = 'live';
        this.tell(`step ${news.step}`);
        this.take(news.graph);
        document.body.dataset.step = news.step;
      } catch (error) {
        byId('status').className = '';
        this.tell(`no longer live: ${error.message}`);
        await new Promise(done => setTimeout(done, 5 * PAUSE));
      }
    }
  }
}

const page = new Page();
const recorded = JSON.parse(byId('data').textContent);
if (recorded) page.take(recorded);
else page.follow();
