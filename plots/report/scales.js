/* scales.js - axes: from values to places, ticks, and labels with units; colours of heat maps. */
"use strict";

/* The least and largest of the values that can be shown, or null. */
function extent(values, log) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
        if (!isNumber(value) || (log && value <= 0)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    return low <= high ? [low, high] : null;
}

/* axis: {kind, log, zero, label, values}; from and to are places. An axis of times has one unit. */
function makeScale(axis, values, from, to) {
    let [low, high] = extent(values, axis.log) || (axis.log ? [1, 10] : [0, 1]);
    if (axis.log) {
        const margin = Math.max(1.0001, (high / low) ** 0.03, low === high ? 1.5 : 1);
        low /= margin;
        high *= margin;
    } else {
        if (axis.zero || low > 0 && low < 0.35 * high) low = Math.min(0, low);
        const margin = low === high ? Math.abs(low) / 2 || 1 : (high - low) * 0.04;
        high += margin;
        if (low !== 0) low -= margin;
    }
    const position = axis.log ? Math.log : (value) => value;
    const [a, b] = [position(low), position(high)];
    const scale = (value) => from + ((position(value) - a) / (b - a)) * (to - from);
    scale.low = low;
    scale.high = high;
    scale.axis = axis;
    scale.size = Math.abs(to - from);
    [scale.unitName, scale.unit] = axis.kind === "seconds" ? secondsUnit(axis.log ? Math.sqrt(low * high) : high)
        : axis.kind === "share" ? ["%", 0.01] : ["", 1];
    scale.label = axis.label + (scale.unitName ? ` (${scale.unitName})` : "");
    return scale;
}

function niceStep(step) {
    const power = 10 ** Math.floor(Math.log10(step));
    return power * (step <= power * 1.0001 ? 1 : step <= 2 * power ? 2 : step <= 5 * power ? 5 : 10);
}

/* Ticks at least `apart` from each other; the ends are kept before those in between. */
function spaced(scale, ticks, apart) {
    const kept = [];
    for (const value of ticks)
        if (kept.length === 0 || Math.abs(scale(value) - scale(kept[kept.length - 1])) >= apart) kept.push(value);
    const last = ticks[ticks.length - 1];
    if (ticks.length > 1 && kept[kept.length - 1] !== last) {
        if (kept.length > 1) kept.pop();
        kept.push(last);
    }
    return kept;
}

/* The densest of a few patterns in a decade (of bytes, of powers of 2) whose ticks are far enough apart. */
function logTicks(scale, apart) {
    const bytes = scale.axis.kind === "bytes";
    const base = bytes ? 2 : 10;
    const [low, high] = [scale.low / scale.unit, scale.high / scale.unit];
    const first = Math.floor(Math.log(low) / Math.log(base)) - 1;
    const last = Math.ceil(Math.log(high) / Math.log(base)) + 1;
    const whole = scale.axis.kind === "count";
    for (const pattern of bytes ? [[1]] : [[1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 8], [1, 1.5, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]])
        for (let step = 1; step <= (pattern.length === 1 ? 64 : 1); step++) {
            const ticks = [];
            for (let e = Math.ceil(first / step) * step; e <= last; e += step)
                for (const times of pattern) {
                    const value = Number((times * base ** e).toPrecision(12));
                    if (value >= low * 0.9999 && value <= high * 1.0001 && (!whole || Number.isInteger(value))) ticks.push(value * scale.unit);
                }
            if (ticks.every((value, i) => i === 0 || Math.abs(scale(value) - scale(ticks[i - 1])) >= apart)) return ticks;
        }
    return [];
}

function linearTicks(scale, apart) {
    const unit = scale.axis.kind === "bytes" ? 2 ** (10 * Math.floor(Math.log2(Math.max(scale.high, 1)) / 10)) : scale.unit;
    let step = niceStep(((scale.high - scale.low) / unit) / Math.max(2, Math.floor(scale.size / apart)));
    if (scale.axis.kind === "count") step = Math.max(1, step);
    const ticks = [];
    for (let i = Math.ceil(scale.low / unit / step); i * step * unit <= scale.high * (1 + 1e-9); i++) ticks.push(i * step * unit);
    return ticks;
}

/* [{value, text}]: at the data's own values where these are few. */
function ticksOf(scale, apart) {
    const axis = scale.axis;
    const text = (value) => (axis.kind === "bytes" ? formatBytes(value) : digits(value / scale.unit, 6));
    const own = axis.values && axis.values.length <= 12 ? axis.values.filter((value) => !axis.log || value > 0) : null;
    const logarithmic = axis.log && !own ? logTicks(scale, apart) : [];
    const narrow = logarithmic.length < 2 && scale.high < 3 * scale.low; /* within a step of the patterns */
    const ticks = own ? spaced(scale, own, apart) : axis.log && !narrow ? logarithmic : linearTicks(scale, apart);
    return ticks.map((value) => ({ value, text: text(value) }));
}

/* viridis, from dark to light. */
const VIRIDIS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];
const BLUES = ["#ffffff", "#8fbcd9", "#0b4f7d"];
function mix(colours, share) {
    const at = Math.min(Math.max(share, 0), 1) * (colours.length - 1);
    const i = Math.min(Math.floor(at), colours.length - 2);
    const part = (colour, k) => parseInt(colour.slice(1 + 2 * k, 3 + 2 * k), 16);
    return "#" + [0, 1, 2].map((k) => Math.round(part(colours[i], k) + (at - i) * (part(colours[i + 1], k) - part(colours[i], k)))
        .toString(16).padStart(2, "0")).join("");
}
/* Black or white, whichever contrasts more with a colour (WCAG's relative luminance). */
function inkOn(colour) {
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}
