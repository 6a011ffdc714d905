/* live.js - a page that is written again while its sweep runs: says how far the sweep is, loads itself again, and keeps
 * what the reader has chosen. */
"use strict";

const controlName = (control) => control.getAttribute("aria-label") ?? control.parentElement.textContent;
const controlValue = (control) => (control.type === "checkbox" ? control.checked : control.getAttribute("aria-valuetext") ?? control.value);
const allControls = () => [...document.querySelectorAll("main select, main input")];

function keepView() {
    const count = {};
    history.replaceState({
        controls: allControls().map((control) => [controlName(control), (count[controlName(control)] = (count[controlName(control)] ?? 0) + 1), controlValue(control)]),
        open: [...document.querySelectorAll("main details[open] > summary")].map((summary) => summary.textContent),
        left: scrollX, top: scrollY,
    }, "");
}
function change(control, name, value) {
    control[name] = value;
    for (const event of ["input", "change"]) control.dispatchEvent(new Event(event, { bubbles: true }));
}
/* A control that does not have the value any more stays as it is; a slider has it where it shows the same text. */
function setControl(control, value) {
    if (control === undefined || controlValue(control) === value) return;
    if (control.type === "checkbox") change(control, "checked", value);
    else if (control.type === "range") {
        const before = control.value;
        for (let i = 0; i <= Number(control.max) && controlValue(control) !== value; i++) change(control, "value", i);
        if (controlValue(control) !== value) change(control, "value", before);
    } else if (control.tagName !== "SELECT" || [...control.options].some((option) => option.value === value))
        change(control, "value", value);
}
function restoreView() {
    const view = history.state;
    if (!view || !view.controls) return;
    for (const details of document.querySelectorAll("main details"))
        details.open ||= view.open.includes(details.firstElementChild.textContent);
    setTimeout(() => { /* tables are made where something was opened */
        /* One may make others anew, so each is looked for when it is its turn. */
        for (const [name, nth, value] of view.controls)
            setControl(allControls().filter((control) => controlName(control) === name)[nth - 1], value);
        scrollTo(view.left, view.top);
    });
}

/* The reader is not disturbed while a button is down or in the second after a key. */
let touched = -Infinity;
let held = false;
function watchReader() {
    addEventListener("pointerdown", () => { held = true; });
    addEventListener("pointerup", () => { held = false; });
    for (const what of ["keydown", "input"])
        addEventListener(what, (event) => { if (event.isTrusted) touched = performance.now(); });
}
function loadAgain(delay_s) {
    setTimeout(() => {
        if (held || performance.now() - touched < 1000) return loadAgain(1);
        keepView();
        location.reload();
    }, delay_s * 1000);
}

function liveText(live, made) {
    const left = isNumber(live.left_s) && live.left_s > 0 ? `, about ${live.left_s < 90 ? Math.ceil(live.left_s) + " s" : Math.ceil(live.left_s / 60) + " min"} left` : "";
    const count = `${formatCount(live.done)} of ${formatCount(live.points)} points are done, ${formatCount(live.failed)} failed, ${formatCount(live.points - live.done - live.failed)} are left`;
    if (live.state === "stopped") return `The sweep was stopped: ${count}. The same command continues it.`;
    const late_s = (Date.now() - Date.parse(made)) / 1000;
    if (late_s > 3 * live.again_s + 10) return `Not updated since ${made}: the sweep was ended, or runs no more on this machine. Then ${count}.`;
    return `The sweep ${live.state === "confirming" ? "confirms points on another engine" : "is running"}: ${count}${left}.`;
}
function follow(live, origin) {
    document.getElementById("main").prepend(el("p", { id: "live", class: "note", role: "status" }, liveText(live, origin.made)));
    restoreView();
    if (live.again_s > 0) {
        watchReader();
        loadAgain(live.again_s);
    }
}
