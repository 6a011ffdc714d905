#!/usr/bin/env node
/* report_browser.js PROGRAM [SCREENSHOTS] - makes reports and uses them in headless Chromium, by WebDriver: figures are
 * drawn, sliders, filters, the pointer and the keyboard do what they should, values are those that the program prints,
 * names run nothing, and the console has no errors. With a directory, leaves screenshots there. */
"use strict";
const assert = require("node:assert");
const { spawn, spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const program = path.resolve(process.argv[2]);
const pictures = process.argv[3] && path.resolve(process.argv[3]);
const place = fs.mkdtempSync(path.join(os.tmpdir(), "roundabout-report-"));
process.chdir(place);

/* ---- The program ---- */

function run(...words) {
    const done = spawnSync(program, words, { encoding: "utf8", env: { ...process.env, ROUNDABOUT_QUIET: "1" } });
    assert.strictEqual(done.status, 0, `roundabout ${words.join(" ")}: ${done.stderr}`);
    return done.stdout;
}

/* ---- WebDriver ---- */

let driver;
let base;
let session;
async function call(method, where, body) {
    const answer = await fetch(base + where, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const { value } = await answer.json();
    if (value && value.error) throw new Error(`${where}: ${value.message}`);
    return value;
}
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

async function startBrowser() {
    driver = spawn("chromedriver", ["--port=0"], { stdio: ["ignore", "pipe", "inherit"] });
    const port = await new Promise((resolve, reject) => {
        let said = "";
        driver.stdout.on("data", (data) => {
            const match = /successfully on port (\d+)/.exec((said += data));
            if (match) resolve(match[1]);
        });
        driver.on("exit", () => reject(new Error("chromedriver ended: " + said)));
    });
    base = `http://127.0.0.1:${port}`;
    const started = await call("POST", "/session", {
        capabilities: {
            alwaysMatch: {
                browserName: "chrome",
                "goog:loggingPrefs": { browser: "ALL" },
                "goog:chromeOptions": {
                    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                        `--user-data-dir=${path.join(place, "profile")}`, "--window-size=1280,1000"],
                },
            },
        },
    });
    session = `/session/${started.sessionId}`;
}
async function stopBrowser() {
    if (session) await call("DELETE", session).catch(() => {});
    if (driver) driver.kill();
}

const open = (file) => call("POST", session + "/url", { url: "file://" + path.join(place, file) });
const script = (text, ...args) => call("POST", session + "/execute/sync", { script: text, args });
const find = async (css) => (await call("POST", session + "/element", { using: "css selector", value: css }))[ELEMENT];
const click = async (css) => call("POST", `${session}/element/${await find(css)}/click`, {});
const type = async (css, text) => call("POST", `${session}/element/${await find(css)}/value`, { text });
const actions = (list) => call("POST", session + "/actions", { actions: list });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function until(what, text, ...args) {
    for (let i = 0; i < 200; i++) {
        const value = await script(text, ...args);
        if (value) return value;
        await pause(20);
    }
    return assert.fail("not so after a while: " + what);
}
async function noErrors(what) {
    const entries = await call("POST", session + "/se/log", { type: "browser" });
    assert.deepStrictEqual(entries.map((entry) => entry.message), [], `${what}: the console has messages`);
    assert.deepStrictEqual(await script("return [...document.querySelectorAll('.note')].map((note) => note.textContent).filter((text) => text.includes('be shown'))"), [], what);
}
async function picture(name) {
    if (pictures) fs.writeFileSync(path.join(pictures, name + ".png"), Buffer.from(await call("GET", session + "/screenshot"), "base64"));
}
const movePointer = (x, y, more = []) => actions([{ type: "pointer", id: "mouse", parameters: { pointerType: "mouse" }, actions: [{ type: "pointerMove", x: Math.round(x), y: Math.round(y), duration: 0 }, ...more] }]);
const tooltip = () => script("const tip = document.getElementById('tip'); return tip.hidden ? null : tip.innerText;");
/* What would be saved: the last file's name and contents. */
async function saved(css) {
    await script("save = (name, type, content) => { window.last = [name, content]; };");
    await click(css);
    return script("return window.last;");
}
const FIGURE = (name) => `return [...document.querySelectorAll('figure')].find((figure) => figure.querySelector('h3').textContent.startsWith(${JSON.stringify(name)}))`;

/* ---- A sweep ---- */

const EVIL = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>\u2028-->";
const EVIL_LINE = EVIL.replace("\u2028", ""); /* which ends a line of YAML */
const EXPERIMENT = `# ${EVIL_LINE}
name: small
engine: model
platforms: ['crossbar:64', 'crossbar:64,latency=9us']
ranks: [4, 8, 16, 33]
bytes: [64KiB, 1MiB, 16MiB]
grids:
  - {algorithms: circulant, blocks: [1, 4, 16, 64, 256]}
  - {algorithms: [binomial, chain], blocks: [1, 16]}
`;

async function testSweep() {
    fs.writeFileSync("small.yaml", EXPERIMENT);
    run("sweep", "small.yaml", "-o", "small.db", "--no-plots");
    run("report", "small.db", "-o", "small.html");
    const decisions = JSON.parse(run("tune", "small.db", "--what", "decision", "--format", "json")).decision;
    await open("small.html");
    assert.ok(await script("return document.documentElement.dataset.ready"), "nothing was drawn");
    assert.strictEqual(await script("return document.querySelectorAll('#figures figure svg').length"), 6);
    assert.strictEqual(await script("return window.pwned || document.images.length || null"), null);
    await picture("sweep");

    /* The table of decisions: a filter, and sorting. */
    const rows = "return [...document.querySelector('#tables table tbody').rows].map((row) => [...row.cells].map((cell) => cell.textContent))";
    const names = await script("return [...document.querySelectorAll('#tables table')[0].tHead.rows[0].cells].map((cell) => cell.querySelector('button').title)");
    assert.strictEqual((await script(rows)).length, decisions.length);
    await type("#tables input[aria-label='Filter p']", ">=16");
    assert.strictEqual((await script(rows)).length, decisions.filter((row) => row.p >= 16).length);
    await type("#tables input[aria-label='Filter m']", "1 MiB");
    assert.strictEqual((await script(rows)).length, decisions.filter((row) => row.p >= 16 && row.m_bytes === 2 ** 20).length);
    await click("#tables th button[title='time_s']");
    await click("#tables th button[title='time_s']");
    const shown = decisions.filter((row) => row.p >= 16 && row.m_bytes === 2 ** 20).sort((a, b) => b.time_s - a.time_s);
    assert.deepStrictEqual((await script(rows)).map((row) => row[names.indexOf("choice")]), shown.map((row) => row.choice));
    assert.strictEqual(await script("return document.querySelector('#tables th[aria-sort=descending] button').title"), "time_s");

    /* The slider for m of the heat map, by the keyboard. */
    const title = FIGURE("Time over n and p") + ".querySelector('svg').getAttribute('aria-label')";
    assert.match(await script(title), /m = 1 MiB/);
    await script(FIGURE("Time over n and p") + ".querySelector('input[type=range]').setAttribute('data-test', 'heat')");
    await type("[data-test=heat]", "\uE014"); /* right */
    assert.match(await script(title), /m = 16 MiB/);
    await script(FIGURE("Best number").replace("return", "const it =") + "; it.scrollIntoView({behavior: 'instant'}); it.querySelectorAll('input[type=range]')[1].setAttribute('data-test', 'best-p')");
    await type("[data-test=best-p]", "\uE012"); /* left: another p, so now against m */
    assert.match(await script(FIGURE("Best number") + ".querySelector('svg').getAttribute('aria-label')"), /p = 16/);
    await picture("sweep-sliders");

    /* Values under the pointer: the exact time of circulant with the most bytes. */
    const want = JSON.parse(run("tune", "small.db", "--what", "best", "--format", "json", "--platform", "crossbar:64", "--algorithm", "circulant", "-p", "33", "-m", "16MiB")).best[0];
    const at = await script(FIGURE("Time against m").replace("return", "const figure =") + `
        figure.scrollIntoView({behavior: 'instant'});
        const box = [...figure.querySelectorAll("svg g:not([role]) > circle[fill='#0072b2']")].map((point) => point.getBoundingClientRect()).sort((a, b) => b.x - a.x)[0];
        return [box.x + box.width / 2, box.y + box.height / 2];`);
    await movePointer(...at);
    const said = await tooltip();
    assert.ok(said && said.includes("circulant") && said.includes("16 MiB") && said.includes("simulated time"), said);
    assert.ok(said.includes(String(Number((want.time_s * 1e3).toPrecision(9)))), `${said}: not ${want.time_s}`);
    assert.ok(!/measured/.test(said));
    await picture("sweep-pointer");

    /* A click in the key hides an algorithm; log and linear; another platform; saving. */
    const lines = FIGURE("Time against m") + ".querySelectorAll('svg path[stroke-linejoin]').length";
    const before = await script(lines);
    await script(FIGURE("Time against m") + ".querySelector('[data-key=binomial]').dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    assert.strictEqual(await script(lines), before - 1);
    const [name, svg] = await script("save = (name, type, content) => { window.last = [name, content]; };" + FIGURE("Time against m").replace("return", "const figure =") + "; figure.querySelector('.save-svg').click(); return window.last;");
    assert.match(name, /^time-m-p33\.svg$/);
    fs.writeFileSync("saved.svg", svg);
    assert.strictEqual(await script("return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelector('parsererror')", svg), null);
    assert.ok(svg.includes("simulated time") && !svg.includes("class=\"pointer\""));
    await script("const list = document.querySelector('#figures select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change'))");
    assert.match(await script(title), /crossbar:64,latency=9us/);
    assert.deepStrictEqual(await script("return ['measured', 'computed'].map((how) => timeWord({how}))"), ["measured time", "computed time"]);
    await noErrors("sweep");

    /* The experiment of the sweep is text, as hostile as it is. */
    await script("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
    await until("the experiment is shown", "return [...document.querySelectorAll('pre')].some((text) => text.textContent.includes(arguments[0]))", EVIL_LINE);
    assert.strictEqual(await script("return window.pwned || document.images.length || null"), null);
    await noErrors("sweep, all parts open");
}

/* ---- Results as they can be, too ---- */

async function testFew() {
    const names = `<img src=x onerror="window.pwned=1"> & 'x'`;
    run("platform", "generate", "crossbar:4", "-o", `${names}.xml`);
    fs.writeFileSync("one.yaml", `name: one\nplatforms: ["${names.replaceAll('"', '\\"')}.xml"]\nranks: [4]\nbytes: [1KiB]\ngrids: [{algorithms: circulant, blocks: [2]}]\n`);
    run("sweep", "one.yaml", "-o", "one.db", "--no-plots");
    run("report", "one.db", "-o", "one.html");
    await open("one.html");
    assert.ok((await script("return document.title")).includes("<img src=x onerror="));
    assert.strictEqual(await script("return window.pwned || document.images.length || null"), null);
    await noErrors("one point of a platform with a hostile name");

    /* Points that failed, alone and beside others. */
    const points = (more) => `name: failed\nplatforms: ["crossbar:64"]\nengine: simgrid\nranks: [64]\nbytes: [1MiB, 2MiB]\ngrids: ${more}\n`;
    fs.writeFileSync("failed.yaml", points("[{algorithms: chain, blocks: [3000]}]"));
    fs.writeFileSync("good.yaml", points("[{algorithms: binomial}]"));
    const sweep = spawnSync(program, ["sweep", "failed.yaml", "-o", "failed.db", "--no-plots", "--point-timeout", "1us"], { encoding: "utf8" });
    assert.strictEqual(sweep.status, 3, sweep.stderr);
    for (const figures of [0, 1]) {
        run("report", "failed.db", "-o", "failed.html");
        await open("failed.html");
        assert.strictEqual(await script("return document.querySelectorAll('#failed tbody tr').length"), 2);
        assert.ok((await script("return document.querySelector('#failed').innerText")).includes("took longer than 1e-06 s"));
        assert.strictEqual(await script("return document.querySelectorAll('#figures').length"), figures);
        await noErrors("failed points");
        spawnSync(program, ["sweep", "good.yaml", "-o", "failed.db", "--no-plots"]);
    }
    await picture("failed");
}

/* ---- A run ---- */

async function testRun() {
    run("simulate", "-p", "17", "-n", "10", "-m", "1MB", "--platform", "fat-tree:32", "--engine", "flow", "--report", "run.html", "--diagnose", "--format", "json", "-o", "run.json");
    const wanted = JSON.parse(fs.readFileSync("run.json", "utf8"));
    const step = wanted.diagnosis.critical_path.steps[2];
    await open("run.html");
    await until("the diagram is drawn", "return document.querySelector('canvas.space-time').parentElement.parentElement.dataset.drawMs");
    await script("document.querySelector('#space-time').scrollIntoView({behavior: 'instant'})");
    await pause(50);
    const view = async () => (await script("return document.querySelector('#space-time figure').dataset.view")).split(" ").map(Number);
    const box = await script("const box = document.querySelector('canvas.space-time').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]");
    const whole = await view();
    assert.deepStrictEqual(whole, [0, wanted.time_s, 0, 17]);
    /* Margins are those of space_time.js. */
    const xOf = (time) => box[0] + 64 + (time / wanted.time_s) * (box[2] - 76);
    const yOf = (row) => box[1] + 34 + (row / 17) * (box[3] - 80);
    await picture("run");

    /* A message of the critical path under the pointer. */
    await movePointer(xOf((step.start_s + step.end_s) / 2), yOf(step.to + 0.7));
    const said = await tooltip();
    assert.ok(said && said.includes(`rank ${step.from} to rank ${step.to}`) && said.includes(step.cause + ":") && /critical path\s*yes/.test(said), said);
    assert.ok(said.includes(`round ${step.round}`) && /block/.test(said), said);
    await picture("run-pointer");

    /* A click traces it; the wheel zooms, dragging moves, a double click resets. */
    await movePointer(xOf((step.start_s + step.end_s) / 2), yOf(step.to + 0.7), [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }]);
    assert.match(await script("return document.querySelector('.pinned').textContent"), /after a chain of 2 messages, back to the start/);
    await actions([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x: Math.round(xOf(wanted.time_s / 2)), y: Math.round(yOf(8)), deltaX: 0, deltaY: -300, duration: 0 }] }]);
    await until("zoomed in", "return document.querySelector('#space-time figure').dataset.view !== arguments[0]", whole.join(" "));
    const zoomed = await view();
    assert.ok(zoomed[1] - zoomed[0] < 0.5 * wanted.time_s && zoomed[3] - zoomed[2] < 9, zoomed.join(" "));
    await picture("run-zoomed");
    const [x, y] = [xOf(wanted.time_s / 2), yOf(8)];
    await movePointer(x, y, [{ type: "pointerDown", button: 0 }, { type: "pointerMove", x: Math.round(x + 100), y: Math.round(y), duration: 0 }, { type: "pointerUp", button: 0 }]);
    await until("moved", "return Number(document.querySelector('#space-time figure').dataset.view.split(' ')[0]) < arguments[0]", zoomed[0]);
    const moved = await view();
    assert.ok(Math.abs(moved[1] - moved[0] - (zoomed[1] - zoomed[0])) < 1e-9 * wanted.time_s, "dragging zooms");
    await movePointer(x, y, [{ type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }]);
    await until("reset", "return document.querySelector('#space-time figure').dataset.view === arguments[0]", whole.join(" "));

    /* The keyboard: along the critical path. */
    await type("canvas.space-time", "nnn");
    assert.match(await tooltip(), /step 3 of \d+ of the critical path/);
    assert.ok((await script("return document.getElementById('said').textContent")).includes(`rank ${step.from} to rank ${step.to}`));

    /* All parts; a saved diagram has a bar for each end of each message; simulated times only. */
    assert.deepStrictEqual(await script("return [...document.querySelectorAll('section')].map((part) => part.id)"), ["overview", "space-time", "phases", "ranks", "path", "links", "provenance"]);
    assert.ok(await script("return document.querySelectorAll('#links svg').length") >= 3);
    const [, svg] = await saved("#space-time .save-svg");
    assert.strictEqual(await script("return new DOMParser().parseFromString(arguments[0], 'image/svg+xml').querySelectorAll('rect').length >= arguments[1]", svg, 2 * wanted.messages), true);
    const text = await script("return document.body.innerText");
    assert.ok(text.includes("simulated, not measured") && text.includes(wanted.platform_hash) && text.includes("roundabout simulate -p 17"));
    assert.strictEqual(text.replaceAll("not measured", "").includes("measured"), false);
    await script("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
    await pause(50);
    await noErrors("run");

    /* What simulate printed, with hostile texts in it: the critical path alone. */
    const evil = { ...wanted, platform: EVIL, collective: EVIL, engine: EVIL, bound_by: EVIL, version: EVIL, progress: EVIL };
    evil.diagnosis.critical_path.steps[0].cause = EVIL;
    evil.diagnosis.phases[0].phase = EVIL;
    fs.writeFileSync("evil.json", JSON.stringify(evil));
    run("report", "evil.json", "-o", "evil.html");
    assert.ok(!fs.readFileSync("evil.html", "utf8").includes("window.pwned = 1</script>"));
    await open("evil.html");
    await until("the diagram is drawn", "return document.querySelector('#space-time figure').dataset.drawMs");
    assert.strictEqual(await script("return window.pwned || document.images.length || null"), null);
    assert.ok((await script("return document.body.innerText")).includes("only the messages of the critical path"));
    await noErrors("hostile texts");

    /* The policy lets no other script run. */
    await script("const added = document.createElement('script'); added.textContent = 'window.pwned = 1'; document.body.append(added);");
    assert.strictEqual(await script("return window.pwned || null"), null);
}

/* ---- A workload ---- */

async function testWorkload() {
    const move = (kind) => `{start: ahead, ${kind}: {bytes: 1MiB}}`;
    fs.writeFileSync("jobs.yaml", `jobs:\n  - {name: '<img src=x onerror="window.pwned=1">', ranks: 8, program: [${move("bcast")}, {compute: 2ms}, {wait: ahead}, {reduce: {bytes: 1MiB}}]}\n  - {name: other, ranks: 8, until: others, program: [{alltoall: {bytes: 1MiB}}]}\n`);
    run("simulate", "--workload", "jobs.yaml", "--platform", "dragonfly:72", "--engine", "flow", "--report", "jobs.html", "--format", "json", "-o", "jobs.json");
    const wanted = JSON.parse(fs.readFileSync("jobs.json", "utf8"));
    await open("jobs.html");
    await until("the diagram is drawn", "return document.querySelector('#space-time figure').dataset.drawMs");
    assert.deepStrictEqual(await script("return [...document.querySelectorAll('section')].map((part) => part.id)"), ["overview", "jobs", "space-time", "links", "provenance"]);
    const text = await script("return document.body.innerText");
    assert.ok(wanted.verdict.every((sentence) => text.includes(sentence)), text);
    await script("document.querySelector('#space-time').scrollIntoView({behavior: 'instant'})");
    await pause(50);
    const box = await script("const box = document.querySelector('canvas.space-time').getBoundingClientRect(); return [box.x, box.y, box.width, box.height]");
    const at = (time, row) => [box[0] + 64 + (time / wanted.time_s) * (box[2] - 76), box[1] + 34 + (row / 16) * (box[3] - 80)];
    await movePointer(...at(1e-3, 3.7));
    const said = await tooltip();
    assert.ok(said && said.includes("computing") && /rank\s*3/.test(said) && /takes\s*2 ms/.test(said) && /started\s*no/.test(said), said);
    await movePointer(...at(2e-5, 3.2));
    const started = await tooltip();
    assert.ok(started && started.includes("bcast") && /started\s*yes/.test(started), started);
    assert.strictEqual(await script("return window.pwned || null"), null);
    await picture("workload");
    await noErrors("workload");
}

/* ---- A comparison ---- */

/* The newer file is on a network whose latency is larger; the platform's name is a hostile text in both. */
async function testComparison() {
    const names = `<img src=x onerror="window.pwned=1"> $(x) \`x\` 'x'.xml`;
    fs.writeFileSync("compared.yaml", `name: compared\nplatforms: [${JSON.stringify(names)}, "crossbar:64"]\nengine: flow\nranks: [4, 16]\nbytes: [1KiB, 1MiB]\ngrids: [{algorithms: circulant, blocks: [1, 4]}, {algorithms: binomial}]\n`);
    for (const [file, latency] of [["older.db", "1us"], ["newer.db", "3us"]]) {
        run("platform", "generate", "crossbar:64,latency=" + latency, "-o", names);
        run("sweep", "compared.yaml", "-o", file, "--no-plots");
        fs.unlinkSync(names);
    }
    const wanted = JSON.parse(run("report", "older.db", "newer.db", "--format", "json"));
    assert.strictEqual(run("report", "older.db", "newer.db", "-o", "compared.html"), "compared.html has tables and figures in one file, for any browser\n");
    await open("compared.html");
    assert.deepStrictEqual(await script("return [...document.querySelectorAll('section')].map((part) => part.id)"), ["overview", "comparison", "figures", "tables", "provenance"]);
    const count = (verdict) => String(wanted.points.filter((point) => point.verdict === verdict).length);
    assert.deepStrictEqual(await script("return [...document.querySelectorAll('#comparison .tile b')].map((tile) => tile.textContent)"), [String(wanted.points.length), count("slower"), count("faster"), "0", "0"]);
    const all = wanted.groups[wanted.groups.length - 1];
    const cells = await script("return [...[...document.querySelectorAll('#comparison table')][0].querySelectorAll('tbody tr:last-child td')].map((cell) => cell.textContent)");
    assert.ok(cells[0] === "all" && cells.includes(String(Number(all.mean.toPrecision(6)))), cells.join());
    /* The figure begins with the worst point; its value is the mean of the n of that algorithm. */
    const worst = wanted.points[0];
    const same = wanted.points.filter((point) => ["algorithm", "platform", "p", "m_bytes"].every((name) => point[name] === worst[name]));
    const mean = Math.exp(same.reduce((sum, point) => sum + Math.log(point.ratio), 0) / same.length);
    await script("save = (name, type, content) => { window.last = [name, content]; }; document.querySelector('#comparison .save-csv').click()");
    const rows = (await script("return window.last[1]")).split("\n").map((row) => row.split(","));
    const row = rows.find((one) => one[0] === worst.algorithm && one[2] === String(worst.m_bytes));
    assert.ok(row[1] === String(worst.p) && Math.abs(row[3] / mean - 1) < 1e-9, row.join());
    assert.ok((await script("return document.querySelector('#comparison').innerText")).includes("platform <img src=x"), "what changed");
    assert.strictEqual(await script("return window.pwned || document.images.length || null"), null);
    await noErrors("comparison");
    await picture("comparison");
}

/* ---- Can it be read? ---- */

/* What can't be: text that contrasts by less than 4.5 (WCAG AA) with what is behind it, letters below 9 dots, text beyond
 * the page or a figure that nobody can scroll to. */
const UNREADABLE = `
    const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const light = ([r, g, b]) => 0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
    const read = (colour) => { const found = /rgba?\\(([^)]*)/.exec(colour); return found ? [...found[1].split(/[ ,/]+/).map(Number), 1].slice(0, 4) : [0, 0, 0, 0]; };
    const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3]));
    const behind = (element) => (element === null ? [255, 255, 255] : over(read(getComputedStyle(element).backgroundColor), read(getComputedStyle(element).backgroundColor)[3] === 1 ? [0, 0, 0] : behind(element.parentElement)));
    const found = new Set();
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
        const element = walk.currentNode.parentElement, range = document.createRange();
        range.selectNodeContents(walk.currentNode);
        const box = range.getBoundingClientRect(), look = getComputedStyle(element), svg = element.closest("svg");
        if (!walk.currentNode.data.trim() || box.width < 2 || element.closest("script, option, .unseen, .skip, [opacity='0.35']")) continue;
        const say = (what) => found.add(what + ": " + walk.currentNode.data.slice(0, 40));
        let back = behind(svg || element), size = parseFloat(look.fontSize);
        const colour = read(svg ? look.fill : look.color), [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
        for (const rect of svg ? svg.querySelectorAll("rect:not([fill-opacity])") : []) {
            const at = rect.getBoundingClientRect();
            if (at.left < x && x < at.right && at.top < y && y < at.bottom) back = over(read(getComputedStyle(rect).fill), back);
        }
        if (svg) size *= Math.hypot(element.getScreenCTM().a, element.getScreenCTM().b);
        const [a, b] = [light(over(colour, back)), light(back)].sort((one, two) => two - one);
        if (!((a + 0.05) / (b + 0.05) >= 4.5)) say("contrast " + ((a + 0.05) / (b + 0.05)).toFixed(2));
        if (size < 9) say("letters of " + size.toFixed(1));
        const room = (svg || document.documentElement).getBoundingClientRect();
        if (!element.closest(".rows, pre") && (box.right > room.right + 1 || box.left < room.left - 1)) say("cut off");
    }
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) found.add("the page is wider than the screen");
    return [...found];`;

async function testReading() {
    const cdp = (cmd, params) => call("POST", session + "/goog/cdp/execute", { cmd, params });
    for (const width of [1400, 420])
        for (const scheme of ["light", "dark"])
            for (const file of ["small.html", "compared.html", "run.html", "network.html"]) {
                await cdp("Emulation.setDeviceMetricsOverride", { width, height: 1000, deviceScaleFactor: 1, mobile: false });
                await cdp("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
                await open(file);
                await script("document.querySelectorAll('details').forEach((part) => { part.open = true; })");
                await pause(50);
                assert.deepStrictEqual(await script(UNREADABLE), [], `${file}, ${width} dots wide, ${scheme}`);
                assert.strictEqual(await script("return getComputedStyle(document.body).backgroundColor") === "rgb(22, 25, 28)", scheme === "dark");
                await picture(`${file.slice(0, -5)}-${width}-${scheme}`);
            }
}

/* ---- The network of a run ---- */

async function testNetwork() {
    run("simulate", "-p", "64", "-n", "10", "-m", "1MB", "--platform", "dragonfly:72", "--engine", "flow", "--links", "1", "--report", "network.html", "--format", "json", "-o", "network.json");
    const { links: [fullest], time_s: time } = JSON.parse(fs.readFileSync("network.json", "utf8"));
    const share = `${Math.floor((1000 * fullest.bytes) / fullest.bandwidth_bytes_per_s / time) / 10}`;
    await open("network.html");
    const map = "const map = document.querySelector('figure.map'); const transform = () => map.querySelector('g[transform]').getAttribute('transform'); const colours = () => [...map.querySelectorAll('g[fill=none] path[stroke-width]')].map((path) => path.getAttribute('stroke')).join(); ";
    await script(map + "map.scrollIntoView({behavior: 'instant'}); map.querySelector('svg').setAttribute('data-test', 'map'); map.querySelector('input').setAttribute('data-test', 'map-time')");
    await picture("network");

    /* The fullest link by the keyboard is that of the table, and under the pointer. */
    await type("[data-test=map]", "n");
    const said = await tooltip();
    assert.ok(said.includes(fullest.link) && said.includes(share) && said.includes("the whole run"), said);
    assert.ok((await script("return document.getElementById('said').textContent")).includes(fullest.link));
    const [x, y] = await script(map + "const path = [...map.querySelectorAll('g[fill=none] path')].at(-2); const at = path.getPointAtLength(path.getTotalLength() * 0.3); const seen = new DOMPoint(at.x, at.y).matrixTransform(path.getScreenCTM()); return [seen.x, seen.y];");
    await movePointer(x, y);
    assert.match(await tooltip(), /load/);

    /* Keys and buttons zoom and move; the pointer drags, its wheel zooms around it. */
    const whole = await script(map + "return transform() || ''").catch(() => "");
    await type("[data-test=map]", "++\uE012");
    const zoomed = await script(map + "return transform()");
    assert.notStrictEqual(zoomed, whole);
    assert.match(zoomed, /scale\(1\.9/);
    await movePointer(x, y, [{ type: "pointerDown", button: 0 }, { type: "pointerMove", x: Math.round(x - 40), y: Math.round(y), duration: 0 }, { type: "pointerUp", button: 0 }]);
    assert.notStrictEqual(await script(map + "return transform()"), zoomed);
    await picture("network-zoomed");
    await actions([{ type: "wheel", id: "wheel", actions: [{ type: "scroll", x: Math.round(x), y: Math.round(y), deltaX: 0, deltaY: -100, duration: 0 }] }]);
    await until("zoomed by the wheel", map + "return !/scale\\(1\\.9/.test(transform())");
    await script(map + "[...map.querySelectorAll('button')].find((button) => button.textContent === 'Reset').click()");
    assert.match(await script(map + "return transform()"), /scale\(1\)/);

    /* The slider of time recolours, and so does playing, until it is stopped. */
    const colours = await script(map + "return colours()");
    await type("[data-test=map-time]", "\uE014\uE014");
    assert.notStrictEqual(await script(map + "return colours()"), colours);
    assert.match(await script(map + "return map.querySelector('output').textContent"), /s to /);
    await picture("network-window");
    const play = map + "[...map.querySelectorAll('button')].find((button) => /Play|Stop/.test(button.textContent))";
    const begin = await script(map + "return map.querySelector('input').value");
    await script(play + ".click()");
    await until("it plays", map + "return map.querySelector('input').value !== arguments[0]", begin);
    await script(play + ".click()");
    const stopped = await script(map + "return map.querySelector('input').value");
    await pause(400);
    assert.strictEqual(await script(map + "return map.querySelector('input').value"), stopped);
    await noErrors("network");
}

/* ---- A page that follows a sweep: loads itself again, and the reader's choices stay ---- */

async function testLive() {
    run("sweep", "small.yaml", "-o", "small.db", "--no-plots", "--live");
    const last = fs.readFileSync("small.html", "utf8");
    assert.ok(!last.includes('"live":'));
    const put = (state, done, again_s, made) => {
        const live = { state, points: 99, done, failed: 2, left_s: 30, again_s };
        fs.writeFileSync("next.html", last.replace('"kind":', () => `"live":${JSON.stringify(live)},"kind":`).replace(/"made":"[^"]*"/, `"made":"${made ?? new Date().toISOString()}"`));
        fs.renameSync("next.html", "live.html");
    };
    const says = (text) => until(text, "return document.getElementById('live')?.textContent.includes(arguments[0])", text);
    put("running", 40, 1000);
    await open("live.html");
    await says("40 of 99 points are done, 2 failed, 57 are left, about 30 s left");
    const heat = FIGURE("Time over n and p");
    await script("const list = document.querySelector('#figures select'); list.selectedIndex = 1; list.dispatchEvent(new Event('change'))");
    await script(heat + ".querySelector('input[type=range]').setAttribute('data-test', 'heat')");
    await type("[data-test=heat]", "\uE012"); /* left */
    await type("#tables input[aria-label='Filter p']", "16");
    await script("document.querySelector('#tables details').open = true; scrollTo(0, 700); window.marked = true;");
    const scrolled = await script("return scrollY");
    const title = await script(heat + ".querySelector('svg').getAttribute('aria-label')");
    put("running", 41, 1000);
    await script("loadAgain(0)"); /* what it does after those seconds */
    await says("41 of 99");
    await until("scrolled back", "return scrollY === arguments[0]", scrolled);
    assert.deepStrictEqual(await script("return [window.marked ?? null, document.querySelector('#figures select').selectedIndex, document.querySelector(\"#tables input[aria-label='Filter p']\").value, document.querySelector('#tables details').open]"),
        [null, 1, "16", true]);
    assert.strictEqual(await script(heat + ".querySelector('svg').getAttribute('aria-label')"), title);
    put("running", 41, 1, "2020-01-01T00:00:00Z");
    await open("live.html");
    await says("Not updated since 2020-01-01");
    put("stopped", 42, 0); /* loaded without help */
    await pause(1500);
    await says("The sweep was stopped: 42 of 99");
    await script("window.marked = true");
    await pause(500);
    assert.strictEqual(await script("return window.marked"), true); /* and stays as it is */
    await picture("live");
    put("running", 50, 1);
    await open("live.html");
    await says("50 of 99");
    fs.copyFileSync("small.html", "live.html");
    await pause(1500);
    await until("the last page", "return document.getElementById('live') === null && document.querySelectorAll('#figures figure').length > 0");
    await noErrors("live");
}

(async () => {
    try {
        await startBrowser();
        await testSweep();
        await testLive();
        await testFew();
        await testComparison();
        await testNetwork();
        await testWorkload();
        await testRun();
        await testReading();
    } finally {
        await stopBrowser();
        process.chdir(os.tmpdir());
        fs.rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    }
})().catch((problem) => {
    console.error(problem);
    process.exit(1);
});
