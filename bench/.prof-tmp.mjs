var __defProp = Object.defineProperty;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};

// src/errors/problem.ts
var kinds, contractTypes, Problem;
var init_problem = __esm({
  "src/errors/problem.ts"() {
    "use strict";
    kinds = {
      "validation-error": { status: 400, title: "Validation Error" },
      // The contract has no type for it: on the wire it is a validation error of the cursor.
      "data-changed": { status: 400, title: "Validation Error" },
      unauthorized: { status: 401, title: "Unauthorized" },
      "plan-upgrade-required": { status: 403, title: "Plan Upgrade Required" },
      "not-found": { status: 404, title: "Not Found" },
      "rate-limit-exceeded": { status: 429, title: "Rate Limit Exceeded" },
      "internal-error": { status: 500, title: "Internal Error" },
      "method-not-allowed": { status: 405, title: "Method Not Allowed" },
      "not-acceptable": { status: 406, title: "Not Acceptable" },
      "uri-too-long": { status: 414, title: "URI Too Long" },
      "header-fields-too-large": { status: 431, title: "Request Header Fields Too Large" },
      "service-unavailable": { status: 503, title: "Service Unavailable" },
      "bad-input": { status: 0, title: "Bad Input" },
      unreachable: { status: 0, title: "Unreachable" },
      "bad-answer": { status: 0, title: "Bad Answer" },
      "no-rows": { status: 0, title: "No Rows" },
      inexact: { status: 0, title: "Not Exact" },
      "too-old": { status: 0, title: "Too Old" },
      "local-io": { status: 0, title: "Local File Error" },
      interrupted: { status: 0, title: "Interrupted" }
    };
    contractTypes = {
      "validation-error": "validation-error",
      "data-changed": "validation-error",
      unauthorized: "unauthorized",
      "plan-upgrade-required": "plan-upgrade-required",
      "not-found": "not-found",
      "rate-limit-exceeded": "rate-limit-exceeded",
      "internal-error": "internal-error"
    };
    Problem = class _Problem extends Error {
      kind;
      detail;
      field;
      hints;
      requestId;
      instance;
      /** Seconds to wait before the next request. */
      retryAfter;
      /** The address under which the service explains this type of error; the document makes one if it is undefined. */
      type;
      /** Whether the service lacks the endpoint or the parameter that was asked for. */
      missing;
      constructor(kind, detail, options = {}) {
        super(detail, options.cause === void 0 ? void 0 : { cause: options.cause });
        this.name = "Problem";
        this.kind = kind;
        this.detail = detail;
        this.field = options.field;
        this.hints = options.hints ?? [];
        this.requestId = options.requestId;
        this.instance = options.instance;
        this.retryAfter = options.retryAfter;
        this.type = options.type;
        this.missing = options.missing ?? false;
      }
      /** The HTTP status of this kind; 0 for a failure of the client's own machine. */
      get status() {
        return kinds[this.kind].status;
      }
      /** A copy of this problem with some of it changed. */
      with({ kind = this.kind, detail = this.detail, ...options }) {
        return new _Problem(kind, detail, { ...this, cause: this.cause, ...options });
      }
      /** The problem document; `errorsBase` is the address of the pages that explain the contract's error types. */
      toDocument(errorsBase) {
        const type = contractTypes[this.kind];
        const isAnswer = [this.instance, this.requestId, this.type].some((part) => part !== void 0);
        return {
          type: this.type ?? (type === void 0 ? "about:blank" : `${errorsBase}/${type}`),
          title: kinds[this.kind].title,
          ...isAnswer && this.status > 0 && { status: this.status },
          detail: this.detail,
          ...this.instance !== void 0 && { instance: this.instance },
          ...this.requestId !== void 0 && { request_id: this.requestId },
          ...this.field !== void 0 && { field: this.field }
        };
      }
    };
  }
});

// src/domain/series/date.ts
function monthLength(year, month) {
  const leap = year % 4 === 0 && year % 100 !== 0 || year % 400 === 0;
  return month === 2 && leap ? 29 : monthLengths[month - 1] ?? 0;
}
function parseDay(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return void 0;
  return dayOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8, 10)));
}
function faultOfDay(text) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || parseDay(text) !== void 0) return void 0;
  const isCovered = dayOf(Number(text.slice(0, 4)), 1, 1) !== void 0;
  return isCovered ? "there is no such date" : "use a date from 1600-01-01 to 2999-12-31";
}
function dayOf(year, month, dayOfMonth) {
  if (year < 1600 || year > 2999 || month < 1 || month > 12) return void 0;
  if (dayOfMonth < 1 || dayOfMonth > monthLength(year, month)) return void 0;
  return `${year}-${String(month).padStart(2, "0")}-${String(dayOfMonth).padStart(2, "0")}`;
}
function dayNumber(day) {
  return Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1, Number(day.slice(8, 10))) / 864e5;
}
function addDays(day, count) {
  return new Date((dayNumber(day) + count) * 864e5).toISOString().slice(0, 10);
}
function monthEnd(day) {
  const length = monthLength(Number(day.slice(0, 4)), Number(day.slice(5, 7)));
  return `${day.slice(0, 8)}${length}`;
}
function periodStart(day, frequency) {
  const months2 = monthsOfPeriod[frequency];
  if (months2 === void 0) return day;
  const month = Number(day.slice(5, 7));
  const first = month - (month - 1) % months2;
  return `${day.slice(0, 5)}${String(first).padStart(2, "0")}-01`;
}
function utcDay(instant) {
  return instant.toISOString().slice(0, 10);
}
function latestDay(instant) {
  return utcDay(new Date(instant.getTime() + 14 * 36e5));
}
function earlier(a, b) {
  return a < b ? a : b;
}
var monthLengths, monthsOfPeriod;
var init_date = __esm({
  "src/domain/series/date.ts"() {
    "use strict";
    init_problem();
    monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    monthsOfPeriod = { M: 1, Q: 3, SA: 6, A: 12 };
  }
});

// src/domain/series/series.ts
function parseSeriesId(text) {
  const id = text.trim().toUpperCase();
  return /^[A-Z0-9](?:[A-Z0-9 &:.%_+()-]{0,78}[A-Z0-9&:.%_+()-])?$/.test(id) ? id : void 0;
}
function parseFrequency(text) {
  const code = text.trim().toUpperCase();
  return frequencies.find((frequency) => frequency === code);
}
function frequencyOf(days) {
  const sorted = [...new Set(days)].sort();
  if (sorted.length < 2) return "";
  let least = Number.POSITIVE_INFINITY;
  let before = Number.NEGATIVE_INFINITY;
  for (const day of sorted) {
    const number2 = dayNumber(day);
    least = Math.min(least, number2 - before);
    before = number2;
  }
  const apart = (frequency) => new Set(sorted.map((day) => periodStart(day, frequency))).size === sorted.length;
  return spacings.find(([frequency, days2]) => least >= days2 && apart(frequency))?.[0] ?? "D";
}
function normalisingFrequency(stated2, days) {
  if (stated2 === "A") return days.every(marksCalendarYear) ? "A" : "";
  if (stated2 !== "") return stated2;
  return days.length > 1 && days.every((day) => day === monthEnd(day)) ? frequencyOf(days) : "";
}
function marksCalendarYear(day) {
  return /-(?:01|12)-/.test(day);
}
function parseVintageKind(text) {
  return vintageKinds.find((kind) => kind === text.trim().toLowerCase());
}
function betterKnown(one, other) {
  return ranks[one] >= ranks[other] ? one : other;
}
function kindOf(kept, stated2) {
  if (kept === "") return stated2 ?? "exact";
  return kept === "unknown" ? stated2 ?? kept : kept;
}
function kindsText(kinds3) {
  const held = new Set(kinds3);
  return vintageKinds.filter((kind) => held.has(kind)).join("; ");
}
var seriesIdForm, frequencies, spacings, vintageKinds, ranks;
var init_series = __esm({
  "src/domain/series/series.ts"() {
    "use strict";
    init_date();
    seriesIdForm = "use at most 80 letters, digits, blanks and & : . % _ + ( ) -, beginning with a letter or digit";
    frequencies = ["D", "W", "BW", "M", "Q", "SA", "A"];
    spacings = [
      ["A", 300],
      ["SA", 150],
      ["Q", 80],
      ["M", 27],
      ["BW", 12],
      ["W", 5]
    ];
    vintageKinds = ["exact", "fetched", "sampled", "unknown"];
    ranks = { exact: 4, fetched: 3, sampled: 2, "": 1, unknown: 0 };
  }
});

// src/store/address.ts
function isDatabase(address) {
  return /^postgres(?:ql)?:\/\//i.test(address);
}
function shownAddress(address) {
  if (!isDatabase(address)) return address;
  const [, scheme = "", rest = ""] = /^(\w+:\/\/)(.*)$/s.exec(address) ?? [];
  const [place2 = "", ...query] = rest.split("?");
  const [, login, where = place2] = /^(.*)@([^@]*)$/s.exec(place2) ?? [];
  const user = login?.split(":", 1)[0] ?? "";
  const kept = query.join("?").split("&").filter((parameter) => parameter !== "" && !/^[^=]*password/i.test(parameter));
  return `${scheme}${user === "" ? "" : `${user}@`}${where}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
}
var init_address = __esm({
  "src/store/address.ts"() {
    "use strict";
  }
});

// src/store/collision.ts
var ImportsCollide;
var init_collision = __esm({
  "src/store/collision.ts"() {
    "use strict";
    init_problem();
    ImportsCollide = class extends Problem {
      needed;
      constructor(needed) {
        super("local-io", "another import is writing to the same series", {
          hints: ["try again when it is done"]
        });
        this.needed = needed;
      }
    };
  }
});

// src/errors/system-errors.ts
function systemProblem(action, target, cause, reason = reasonFor(action, cause)) {
  return new Problem("local-io", `cannot ${action} ${target}: ${reason}`, { cause });
}
function reasonFor(action, error) {
  const { code, message } = error;
  if (code === "ENOENT" && creating.has(action)) return "there is no such folder";
  return reasons[code ?? ""] ?? message ?? String(error);
}
function isSystemError(error) {
  return error instanceof Error && "syscall" in error;
}
var reasons, creating;
var init_system_errors = __esm({
  "src/errors/system-errors.ts"() {
    "use strict";
    init_problem();
    reasons = {
      EACCES: "permission denied",
      EADDRINUSE: "the port is in use",
      EADDRNOTAVAIL: "this machine has no such address",
      EBUSY: "it is in use",
      EDQUOT: "the disk quota is used up",
      EEXIST: "it exists already",
      EFBIG: "the file would exceed the size limit",
      EIO: "the device reports an error",
      EISDIR: "it is a folder",
      ELOOP: "its symbolic links form a loop",
      EMFILE: "this process has too many open files",
      ENAMETOOLONG: "the name is too long",
      ENFILE: "the system has too many open files",
      ENOENT: "there is no such file or folder",
      ENOSPC: "the disk is full",
      ENOTDIR: "a part of the path is not a folder",
      ENOTEMPTY: "the folder is not empty",
      ENOTFOUND: "there is no host of that name",
      EPERM: "permission denied",
      EPIPE: "its reader has closed the pipe",
      EROFS: "the file system is read-only",
      EXDEV: "it is on another file system"
    };
    creating = /* @__PURE__ */ new Set(["create", "write to"]);
  }
});

// src/store/sqlite/connection.ts
import { accessSync, constants, existsSync as existsSync2, readFileSync as readFileSync2, statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join as join2 } from "node:path";
import Legacy from "better-sqlite3";
function connect(path, readonly) {
  const file = checkFile(path, readonly);
  try {
    const db = openDatabase(path, { readonly, fileMustExist: true, timeout: 5e3 });
    db.pragma("foreign_keys = on");
    return new Connection(db, file);
  } catch (error) {
    throw asProblem(path, error);
  }
}
function connectReader(path, live) {
  const connection = connect(path, true);
  try {
    connection.pragma("user_version");
    return connection;
  } catch (error) {
    connection.close();
    if (live || !cannotWrite(error)) throw asProblem(path, error);
    return inMemory(path, error);
  }
}
function cannotWrite(error) {
  if (error instanceof SqliteError) return /^SQLITE_(READONLY|CANTOPEN)/.test(error.code);
  if (error instanceof Problem) return cannotWrite(error.cause);
  return isSystemError(error) && /^(EACCES|EPERM|EROFS)$/.test(error.code ?? "");
}
function hasUnmerged(path) {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
function inMemory(path, reason) {
  const file = checkFile(path, true);
  if (hasUnmerged(path)) throw asProblem(path, reason);
  try {
    const bytes = readFileSync2(path);
    bytes.fill(1, 18, 20);
    return new Connection(openDatabase(bytes), file);
  } catch (error) {
    throw asProblem(path, error);
  }
}
function checkFile(path, readonly) {
  let file;
  try {
    file = statSync(path);
  } catch (cause) {
    throw systemProblem("open", `the store ${path}`, cause);
  }
  if (!file.isFile()) throw new Problem("local-io", `cannot open the store ${path}: it is not a file`);
  try {
    accessSync(path, readonly ? constants.R_OK : constants.R_OK | constants.W_OK);
  } catch (cause) {
    throw systemProblem(readonly ? "read" : "write to", `the store ${path}`, cause);
  }
  return `${file.dev}:${file.ino}`;
}
function asProblem(path, error) {
  if (isSystemError(error))
    return systemProblem(error.syscall === "mkdir" ? "create" : "use", `the store ${path}`, error);
  if (!(error instanceof SqliteError)) return error;
  const family = error.code.split("_").slice(0, 2).join("_");
  if (bugs.has(family)) return error;
  return new Problem("local-io", `cannot use the store ${path}: ${reasons2[family] ?? error.message}`, {
    cause: error
  });
}
function modern() {
  try {
    return requireInstalled("better-sqlite3-napi");
  } catch {
    return void 0;
  }
}
function openDatabase(path, options = {}) {
  const { library } = driver;
  if (library === void 0) throw lacksDriver();
  try {
    return new library(path, library === Legacy ? { ...options, nativeBinding: binary() } : options);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : void 0;
    if (code === "MODULE_NOT_FOUND" || code === "ERR_DLOPEN_FAILED") throw lacksDriver(error);
    throw error;
  }
}
function binary() {
  const found = driverFolders().map((folder) => join2(folder, "build/Release/better_sqlite3.node")).find((path) => existsSync2(path));
  if (found === void 0) throw lacksDriver();
  return found;
}
function driverFolders() {
  return (requireInstalled.resolve.paths(driver.name) ?? []).map((folder) => join2(folder, driver.name));
}
function lacksDriver(cause) {
  const detail = `the SQLite driver for Node ${process.version} is not installed (${installCommand()} installs it)`;
  return new Problem("local-io", detail, { cause });
}
function installCommand() {
  const { name, spec } = driver;
  const holder = join2(import.meta.dirname, "../..");
  const isGlobal = basename(holder) === "node_modules" && !existsSync2(join2(holder, "../package.json"));
  if (isGlobal) return `npm install --global ${spec}`;
  return driverFolders().some((folder) => existsSync2(folder)) ? `npm rebuild ${name}` : `npm install ${spec}`;
}
var Connection, reasons2, bugs, requireInstalled, driver, SqliteError;
var init_connection = __esm({
  "src/store/sqlite/connection.ts"() {
    "use strict";
    init_problem();
    init_system_errors();
    Connection = class {
      /** Identifies the file: another file at the same path has another identity. */
      file;
      #db;
      #prepared = {
        objects: /* @__PURE__ */ new Map(),
        tuples: /* @__PURE__ */ new Map(),
        column: /* @__PURE__ */ new Map()
      };
      constructor(db, file = "") {
        this.#db = db;
        this.file = file;
      }
      /** Rows as objects; also for statements that give no rows. */
      objects(sql) {
        return this.#prepare("objects", sql, (statement) => statement);
      }
      /** Rows as arrays of their columns. */
      tuples(sql) {
        return this.#prepare("tuples", sql, (statement) => statement.raw());
      }
      /** The first column of each row. */
      column(sql) {
        return this.#prepare("column", sql, (statement) => statement.pluck());
      }
      run(sql, ...parameters) {
        return this.objects(sql).run(...parameters);
      }
      exec(sql) {
        this.#db.exec(sql);
      }
      pragma(source2) {
        return this.#db.pragma(source2, { simple: true });
      }
      /** Calls `work` in a write transaction; rolls back if it throws. */
      inOneStep(work) {
        this.#db.transaction(work).immediate();
      }
      get inTransaction() {
        return this.#db.inTransaction;
      }
      close() {
        this.#db.close();
      }
      /** The only cast: the caller knows the shape of the rows of its SQL. */
      #prepare(kind, sql, shaped) {
        const known2 = this.#prepared[kind].get(sql) ?? shaped(this.#db.prepare(sql));
        this.#prepared[kind].set(sql, known2);
        return known2;
      }
    };
    reasons2 = {
      SQLITE_NOTADB: "it is not an asof store",
      SQLITE_CORRUPT: "it is damaged",
      SQLITE_FULL: "the disk is full",
      SQLITE_BUSY: "another import is writing to it; try again when it is done",
      SQLITE_READONLY: "it, or its folder, cannot be written",
      SQLITE_CANTOPEN: "its folder cannot be written, and SQLite must create files beside a store that is in use"
    };
    bugs = /* @__PURE__ */ new Set(["SQLITE_ERROR", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH"]);
    requireInstalled = createRequire(join2(import.meta.dirname, "asof"));
    driver = Number(process.versions.napi) >= 10 ? {
      name: "better-sqlite3-napi",
      spec: "better-sqlite3-napi@npm:better-sqlite3@13.2.0",
      library: modern()
    } : { name: "better-sqlite3", spec: "better-sqlite3@12.11", library: Legacy };
    ({ SqliteError } = driver.library ?? Legacy);
  }
});

// src/domain/series/date-set.ts
function monthNumber(day) {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}
function dayInMonth(month, dayOfMonth) {
  const year = Math.floor(month / 12);
  return `${year}-${String(month % 12 + 1).padStart(2, "0")}-${dayOfMonth}`;
}
function stepBetween(a, b) {
  if (a.slice(8) === b.slice(8)) return { step: monthNumber(b) - monthNumber(a), unit: "M" };
  return { step: dayNumber(b) - dayNumber(a), unit: "D" };
}
function formatDateSet(days) {
  const sorted = ascending([...days]);
  const items = [];
  let start = 0;
  while (start < sorted.length) {
    const first = sorted[start];
    const second = sorted[start + 1];
    let end = start;
    if (second !== void 0) {
      const { step, unit } = stepBetween(first, second);
      end = start + 1;
      for (let next = sorted[end + 1]; next !== void 0; next = sorted[end + 1]) {
        const found = stepBetween(sorted[end], next);
        if (found.step !== step || found.unit !== unit) break;
        end += 1;
      }
      if (end - start >= 2) {
        items.push(`${first}/${sorted[end]}/${step}${unit}`);
        start = end + 1;
        continue;
      }
    }
    items.push(first);
    start += 1;
  }
  return items.join(",");
}
function ascending(days) {
  const inOrder = days.every((day, i) => i === 0 || days[i - 1] < day);
  return inOrder ? days : [...new Set(days)].sort();
}
function parseDateSet(text, frequency = "") {
  const ranges = parseRanges(text);
  if (ranges.every((range) => startsPeriods(range, frequency))) {
    return { has: (day) => holds(ranges, day), days: () => ranges.flatMap(expand) };
  }
  const days = new Set(ranges.flatMap(expand).map((day) => periodStart(day, frequency)));
  return { has: (day) => days.has(day), days: () => [...days] };
}
function parseRanges(text) {
  return (text === "" ? [] : text.split(",")).map((item) => {
    const [first = "", last = first, step = "1D"] = item.split("/");
    return { first, last, step: Number(step.slice(0, -1)), unit: step.endsWith("M") ? "M" : "D" };
  });
}
function startsPeriods(range, frequency) {
  const { first, last, step, unit } = range;
  if (periodStart(first, frequency) !== first || periodStart(last, frequency) !== last) return false;
  const second = first === last ? first : dayInMonth(monthNumber(first) + step, first.slice(8));
  return first === last || frequency === "" || unit === "M" && periodStart(second, frequency) === second;
}
function holds(ranges, day) {
  let low = 0;
  let high = ranges.length - 1;
  while (low <= high) {
    const middle = low + high >> 1;
    const range = ranges[middle];
    if (day < range.first) high = middle - 1;
    else if (day > range.last) low = middle + 1;
    else return onStep(range, day);
  }
  return false;
}
function onStep({ first, step, unit }, day) {
  if (unit === "D") return (dayNumber(day) - dayNumber(first)) % step === 0;
  return day.slice(8) === first.slice(8) && (monthNumber(day) - monthNumber(first)) % step === 0;
}
function expand({ first, last, step, unit }) {
  const days = [];
  for (let day = first, n = 1; day <= last; n += 1) {
    days.push(day);
    day = unit === "D" ? addDays(first, n * step) : dayInMonth(monthNumber(first) + n * step, first.slice(8));
  }
  return days;
}
var init_date_set = __esm({
  "src/domain/series/date-set.ts"() {
    "use strict";
    init_date();
  }
});

// src/domain/series/table-columns.ts
function readColumns(rows, figures, rowFrequency = "") {
  const own = new Map(Array.from(figures, ([seriesId, days]) => [seriesId, shownFrequency(days)]));
  const finest = Math.min(...Array.from(own.values(), rankOf));
  const ofRows = rowFrequency === "" ? frequencyOf(rows) : rowFrequency;
  const readingOf = (days, frequency) => {
    const coarser = rankOf(frequency) > finest && rankOf(frequency) > rankOf(ofRows);
    if (frequency !== "" && coarser) return { implied: frequency, speaksFor: beginsPeriod(frequency, days) };
    const alone = days.size === 1 && Number.isFinite(finest) ? [...days][0] : void 0;
    if (alone !== void 0) return { implied: "", speaksFor: outsideYearOf(alone) };
    return { implied: rowFrequency !== "" ? rowFrequency : provenFrequency(days), speaksFor: () => true };
  };
  return new Map(
    Array.from(figures, ([seriesId, days]) => [seriesId, readingOf(days, own.get(seriesId) ?? "")])
  );
}
function rowsOfOthers(mentioned, figures) {
  const frequency = shownFrequency(figures);
  const reading = readColumns(
    mentioned,
    /* @__PURE__ */ new Map([
      ["figures", figures],
      ["rows", mentioned]
    ])
  ).get("figures");
  const isOfOthers = (date4) => !figures.has(date4) && reading?.speaksFor(date4) === false;
  return { dates: figures.size > 1 ? [...mentioned].filter(isOfOthers) : [], frequency };
}
function shownFrequency(figures) {
  const frequency = frequencyOf(figures);
  if (figures.size >= enoughFigures) return frequency;
  return frequency === "SA" ? "Q" : frequency === "BW" ? "W" : frequency;
}
function rankOf(frequency) {
  return frequency === "" ? Number.POSITIVE_INFINITY : fineness.indexOf(frequency);
}
function outsideYearOf(figure) {
  return (date4) => date4 === figure || date4.slice(0, 4) !== figure.slice(0, 4);
}
function beginsPeriod(frequency, figures) {
  const places = new Set(Array.from(figures, (day) => placeOf(day, frequency)));
  if (places.size > 2) return (date4) => figures.has(date4);
  return (date4) => places.has(placeOf(date4, frequency));
}
function placeOf(date4, frequency) {
  const months2 = monthsOf[frequency];
  if (months2 === void 0) return String(dayNumber(date4) % (daysOf[frequency] ?? 1));
  const day = date4 === monthEnd(date4) ? "end" : date4.slice(8);
  return `${Number(date4.slice(5, 7)) % months2} ${day}`;
}
function provenFrequency(figures) {
  const frequency = frequencyOf(figures);
  if (frequency === "" || figures.size < enoughFigures) return "";
  const sorted = [...figures].sort();
  const next = sorted.filter((day, i) => i > 0 && areNeighbours(sorted[i - 1] ?? "", day, frequency)).length;
  if (2 * next < sorted.length - 1) return "";
  return frequency === "A" || sorted.every((day) => isEdge(day, frequency)) ? frequency : "";
}
function areNeighbours(before, after, frequency) {
  const months2 = monthsOf[frequency];
  if (months2 === void 0) return dayNumber(after) - dayNumber(before) <= (daysOf[frequency] ?? 4);
  return monthNumber2(after) - monthNumber2(before) === months2;
}
function monthNumber2(day) {
  return 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));
}
function isEdge(day, frequency) {
  const months2 = monthsOf[frequency] ?? 1;
  const past = monthNumber2(day) - monthNumber2(periodStart(day, frequency));
  return past === 0 || past === months2 - 1;
}
var fineness, enoughFigures, monthsOf, daysOf;
var init_table_columns = __esm({
  "src/domain/series/table-columns.ts"() {
    "use strict";
    init_date();
    init_series();
    fineness = ["D", "W", "BW", "M", "Q", "SA", "A"];
    enoughFigures = 4;
    monthsOf = { M: 1, Q: 3, SA: 6, A: 12 };
    daysOf = { W: 7, BW: 14 };
  }
});

// src/store/sqlite/schema.ts
function createSchema(connection) {
  connection.pragma(`application_id = ${applicationId}`);
  migrate(connection, "");
}
function migrate(connection, path) {
  const format = formatOf(connection, path);
  for (const step of migrations.slice(format))
    if (typeof step === "string") connection.exec(step);
    else step(connection);
  connection.pragma(`user_version = ${currentFormat}`);
}
function dropRowsOfOthers(connection) {
  const series = connection.column(`select key from series where implied_source like 'FRED%'`).all();
  for (const key of series) {
    const vintages = connection.objects("select as_of_date as asOf, dates from vintage where series = ?").all(key);
    const mentioned = new Set(vintages.flatMap(({ dates }) => parseDateSet(dates).days()));
    const figures = new Set(
      connection.column("select distinct date from fact where series = ? and value is not null").all(key)
    );
    const others = rowsOfOthers(mentioned, figures);
    if (others.dates.length === 0) continue;
    for (const { asOf, dates } of vintages) {
      const own = parseDateSet(dates).days().filter((date4) => !others.dates.includes(date4));
      if (own.length > 0)
        connection.run(
          "update vintage set dates = ? where series = ? and as_of_date = ?",
          formatDateSet(own),
          key,
          asOf
        );
    }
    connection.run(
      `update series set implied_frequency = iif(implied_frequency is null, null, @frequency),
        spacing_frequency = iif(spacing_frequency = '', '', @frequency) where key = @key`,
      { key, frequency: others.frequency }
    );
  }
}
function formatOf(connection, path) {
  if (connection.pragma("application_id") !== applicationId) {
    throw new Problem("local-io", `${path} is not an asof store`, {
      hints: ["name another file with --store, or import into a new one"]
    });
  }
  const format = Number(connection.pragma("user_version"));
  if (format > currentFormat) {
    throw new Problem(
      "local-io",
      `${path} was made by a newer asof (store format ${format}; this one reads up to ${currentFormat})`,
      { hints: ["update asof"] }
    );
  }
  return format;
}
var applicationId, migrations, currentFormat;
var init_schema = __esm({
  "src/store/sqlite/schema.ts"() {
    "use strict";
    init_date_set();
    init_table_columns();
    init_problem();
    applicationId = 1634955110;
    migrations = [
      `
  create table series (
    key integer primary key,
    id text not null unique,
    title text, units text, frequency text, seasonal_adjustment text, source text,
    implied_frequency text, implied_source text, stated_covered_to text,
    spacing_frequency text not null default '',
    normalised_by text not null default '',
    observation_count integer not null default 0,
    date_count integer not null default 0,
    fact_count integer not null default 0,
    first_vintage text, last_vintage text, covered_to text,
    version integer not null default 0
  ) strict;

  -- Numeric changes of knowledge: from as_of_date on, the value of date was value (null: withdrawn).
  create table fact (
    series integer not null references series (key),
    date text not null,
    as_of_date text not null,
    value text,
    primary key (series, date, as_of_date)
  ) strict, without rowid;

  -- Statements that repeat the number known with another text (1.5, then 1.50).
  create table respelling (
    series integer not null references series (key),
    date text not null,
    as_of_date text not null,
    value text not null,
    primary key (series, date, as_of_date)
  ) strict, without rowid;

  -- On which dates each day made statements, as published; what each said is the value known on that day.
  create table vintage (
    series integer not null references series (key),
    as_of_date text not null,
    dates text not null,
    complete integer not null default 0,
    primary key (series, as_of_date)
  ) strict, without rowid;

  create table curve (
    curve_type text not null,
    trade_date text not null,
    months real not null,
    maturity text not null,
    rate text not null,
    source text not null,
    primary key (curve_type, trade_date, months)
  ) strict, without rowid;

  -- What insiders filed: known from filed_on on. purchases marks what clusters are made of.
  create table filing (
    key integer primary key,
    filing_id text not null unique,
    accession_number text,
    form_type text not null,
    filed_on text not null,
    accepted_at text,
    original_filed_on text,
    period_of_report text,
    issuer_cik text not null,
    issuer_name text,
    ticker text,
    owners text not null,
    owner_names text not null,
    is_10b5_1 integer,
    purchases integer not null default 0
  ) strict;
  create unique index newest_filings on filing (filed_on desc, filing_id);
  create index purchases_of_issuer on filing (issuer_cik) where purchases = 1;
  create table trade (
    filing integer not null references filing (key),
    row integer not null,
    is_derivative integer not null,
    security_title text,
    transaction_date text,
    transaction_code text,
    acquired_disposed text,
    shares text,
    price_per_share text,
    shares_owned_after text,
    ownership text,
    primary key (filing, row)
  ) strict, without rowid;
  -- The trading symbols under which each was filed.
  create table symbol (
    symbol text not null,
    filing integer not null references filing (key),
    primary key (symbol, filing)
  ) strict, without rowid;
  create table import (
    id integer primary key,
    imported_at text not null,
    file text not null,
    kind text not null,
    sha256 text not null,
    series integer not null,
    statements_new integer not null,
    statements_known integer not null,
    withdrawn integer not null
  ) strict;

  -- One row; revision changes with every import that changed anything.
  create table store (
    only integer primary key check (only = 1),
    revision integer not null,
    sample integer not null default 0
  ) strict;
  insert into store (only, revision) values (1, 0);

  -- For queries with the sqlite3 shell.
  create view observation as
    select s.id as series_id, f.date, f.as_of_date, f.value
    from fact f join series s on s.key = f.series;
  create view insider_trade as
    select f.filed_on, f.filing_id, t.row, f.form_type, f.issuer_cik, f.issuer_name, f.ticker, f.owners, t.is_derivative,
      t.security_title, t.transaction_date, t.transaction_code, t.acquired_disposed, t.shares, t.price_per_share,
      t.shares_owned_after, t.ownership
    from filing f join trade t on t.filing = f.key;
  `,
      // How vintages came about (vintage-kind.ts). Of older imports it follows from the source of a series, and of
      // FRED, whose files are of several kinds, from the log if it has files of one kind; else it is unknown.
      `
  alter table series add column stated_vintage_kind text;
  alter table series add column vintage_kind text not null default '';
  alter table vintage add column kind text not null default '';
  update vintage set kind = (
    select case
      when source in ('Philadelphia Fed Real-Time Data Set', 'FRED-MD', 'FRED-QD', 'FRED dated panel') then 'sampled'
      when source like '%; %' then 'unknown'
      when source <> 'FRED' or kinds = 'asof-csv' then ''
      when kinds = 'alfred-wide' then 'exact'
      when kinds = 'fred-csv' then 'fetched'
      else 'unknown'
    end
    from (select coalesce(implied_source, '') as source from series where key = vintage.series)
    join (
      select group_concat(distinct kind) as kinds from import
      where kind in ('alfred-wide', 'asof-csv', 'fred-api', 'fred-csv')
    )
  );
  update series set vintage_kind = coalesce((
    select group_concat(kind, '; ') from (
      select distinct iif(kind = '', 'exact', kind) as kind from vintage where series = series.key order by 1
    )
  ), '');
  `,
      // Files of these kinds were read by another rule for blank cells; workbooks of the Real-Time Data Set have none.
      (connection) => {
        connection.exec(`
      alter table import add column outdated integer not null default 0;
      update import set outdated = 1 where kind in ('alfred-wide', 'dated-panel', 'fred-csv', 'fred-md', 'fred-qd');
    `);
        dropRowsOfOthers(connection);
      },
      `
  -- What the store follows at live sources; bookmark says, in the words of the source, how far its facts reach.
  create table followed (
    source text not null,
    name text not null,
    since text not null,
    bookmark text not null,
    up_to text,
    last_run text,
    left_undone text not null,
    primary key (source, name)
  ) strict, without rowid;

  -- Fields of a series' description that changed, such as its units.
  create table description_change (
    series integer not null references series (key),
    changed_on text not null,
    field text not null,
    before text not null,
    after text not null,
    primary key (series, changed_on, field)
  ) strict, without rowid;
  `
    ];
    currentFormat = migrations.length;
  }
});

// src/domain/series/exact-values.ts
import { Decimal } from "decimal.js";
var Exact;
var init_exact_values = __esm({
  "src/domain/series/exact-values.ts"() {
    "use strict";
    Exact = Decimal.clone({ defaults: true, precision: 2500 });
  }
});

// src/domain/series/decimal.ts
function parseDecimal(text) {
  if (text.length > longestText) return void 0;
  const expanded = /^-?\d+(?:\.\d+)?$/.test(text) ? text : withoutExponent(text);
  return expanded === void 0 || expanded.length > longestText ? void 0 : expanded;
}
function withoutExponent(text) {
  const parts = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,4})$/.exec(text);
  if (parts === null) return void 0;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = parts;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (Math.abs(point) > longestText) return void 0;
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + trimZeros(digits.padEnd(point, "0"));
  return `${sign}${trimZeros(digits.slice(0, point))}.${digits.slice(point)}`;
}
function trimZeros(digits) {
  return digits.replace(/^0+(?=\d)/, "");
}
function canonicalDecimal(text) {
  const negative = text.startsWith("-");
  let digits = trimZeros(negative ? text.slice(1) : text);
  if (digits.includes(".")) digits = digits.replace(/\.?0+$/, "");
  return negative && digits !== "0" ? `-${digits}` : digits;
}
function sameNumber(a, b) {
  if (a === b) return true;
  return a !== null && b !== null && canonicalDecimal(a) === canonicalDecimal(b);
}
function fullerText(a, b) {
  if (a.length !== b.length) return a.length > b.length ? a : b;
  return a < b ? a : b;
}
var longestText, leastChange;
var init_decimal = __esm({
  "src/domain/series/decimal.ts"() {
    "use strict";
    init_exact_values();
    longestText = 400;
    leastChange = Math.log(1.03);
  }
});

// src/domain/treasury/curve.ts
function maturitiesOf(curveType) {
  return curveType === "TIPS" ? tipsMaturities : maturities;
}
function monthsOf2(maturity) {
  return Number(maturity.slice(0, -1)) * (maturity.endsWith("Y") ? 12 : 1);
}
function curveMaturity(curveType, count, unit) {
  const label = `${count}${/^mo(?:nths?)?$/i.test(unit) ? "M" : "Y"}`;
  const maturity = maturitiesOf(curveType).find((known2) => known2 === label);
  return maturity && { curveType, maturity };
}
function fredNumber(maturity) {
  return maturity.endsWith("M") ? `${maturity}O` : maturity.slice(0, -1);
}
function impossiblePoint({
  curveType,
  tradeDate,
  maturity
}) {
  const weekend = weekendName(tradeDate);
  if (weekend !== void 0)
    return `${tradeDate} is a ${weekend}, on which no curve is published; are month and day exchanged?`;
  const first = firstDays[curveType][maturity] ?? "";
  const isEarlier = tradeDate < first;
  if (!isEarlier || curveType === "PAR" && maturity === "20Y" && tradeDate <= lastOfFirstTwentyYears)
    return void 0;
  return `there is no ${maturity} rate before ${first}; are the columns shifted?`;
}
function weekendName(day) {
  return { 2: "Saturday", 3: "Sunday" }[(dayNumber(day) % 7 + 7) % 7];
}
function impossibleRates(points) {
  for (const curveType of new Set(points.map((point) => point.curveType))) {
    const own = points.filter((point) => point.curveType === curveType);
    const canBeZero = curveType === "TIPS" ? own.length === 1 : own.every(({ maturity }) => maturity.endsWith("M"));
    if (!canBeZero && own.every(({ rate }) => Number(rate) === 0))
      return "all rates are zero, as of no trade date";
  }
  return void 0;
}
function impossibleDates(days) {
  const name = isEveryWeek(days) ? "weekly" : averages[frequencyOf(days)];
  if (name === void 0) return void 0;
  if (days.size < 3 && ![...days].every((day) => day.endsWith("-01"))) return void 0;
  return `these are ${name} figures, such as averages; a curve has the rates of trade dates`;
}
function isEveryWeek(days) {
  const numbers2 = Array.from(days, dayNumber).sort((a, b) => a - b);
  return numbers2.length > 2 && numbers2.every((number2, i) => i === 0 || number2 - (numbers2[i - 1] ?? 0) === 7);
}
function maturityNamed(id) {
  return yieldSeries.find((series) => series.id === id && series.less === void 0)?.rate;
}
function planPoints(held, points, { replace }) {
  const current = new Map(held.map((point) => [keyOf(point), point]));
  const put = /* @__PURE__ */ new Map();
  const conflicts = [];
  let [added, known2] = [0, 0];
  for (const given of points) {
    const key = keyOf(given);
    const before = current.get(key);
    let after = given;
    if (before === void 0) added += 1;
    else if (sameNumber(before.rate, given.rate)) {
      known2 += 1;
      after = preferred(before, given);
    } else if (replace) added += 1;
    else {
      conflicts.push({ held: before, given });
      continue;
    }
    if (after === before) continue;
    current.set(key, after);
    put.set(key, after);
  }
  return { added, known: known2, conflicts, put: [...put.values()] };
}
function keyOf({ curveType, tradeDate, maturity }) {
  return `${curveType} ${tradeDate} ${maturity}`;
}
function preferred(held, given) {
  if (held.rate !== given.rate) return fullerText(held.rate, given.rate) === held.rate ? held : given;
  return given.source < held.source ? given : held;
}
var maturities, tipsMaturities, withoutId, yieldTitle, par, yieldSeries, firstDays, lastOfFirstTwentyYears, averages, h15Source;
var init_curve = __esm({
  "src/domain/treasury/curve.ts"() {
    "use strict";
    init_date();
    init_decimal();
    init_series();
    maturities = [
      "1M",
      "1.5M",
      "2M",
      "3M",
      "4M",
      "6M",
      "1Y",
      "2Y",
      "3Y",
      "5Y",
      "7Y",
      "10Y",
      "20Y",
      "30Y"
    ];
    tipsMaturities = ["5Y", "7Y", "10Y", "20Y", "30Y"];
    withoutId = /* @__PURE__ */ new Set(["1.5M", "2M", "4M"]);
    yieldTitle = (maturity) => `Market Yield on U.S. Treasury Securities at ${maturity.slice(0, -1)}-${maturity.endsWith("M") ? "Month" : "Year"} Constant Maturity, Quoted on an Investment Basis`;
    par = (maturity) => ({ curveType: "PAR", maturity });
    yieldSeries = [
      ...maturitiesOf("PAR").filter((maturity) => !withoutId.has(maturity)).map((maturity) => ({
        id: `DGS${fredNumber(maturity)}`,
        title: yieldTitle(maturity),
        rate: par(maturity)
      })),
      ...maturitiesOf("TIPS").map((maturity) => ({
        id: `DFII${fredNumber(maturity)}`,
        title: `${yieldTitle(maturity)}, Inflation-Indexed`,
        rate: { curveType: "TIPS", maturity }
      })),
      {
        id: "T10Y2Y",
        title: "10-Year Treasury Constant Maturity Minus 2-Year Treasury Constant Maturity",
        rate: par("10Y"),
        less: par("2Y")
      },
      {
        id: "T10Y3M",
        title: "10-Year Treasury Constant Maturity Minus 3-Month Treasury Constant Maturity",
        rate: par("10Y"),
        less: par("3M")
      }
    ].sort((a, b) => a.id < b.id ? -1 : 1);
    firstDays = {
      PAR: {
        "1M": "2001-07-31",
        "1.5M": "2025-02-18",
        "2M": "2018-10-16",
        "4M": "2022-10-19",
        "20Y": "1993-10-01"
      },
      TIPS: { "20Y": "2004-07-27", "30Y": "2010-02-22" }
    };
    lastOfFirstTwentyYears = "1986-12-31";
    averages = {
      M: "monthly",
      Q: "quarterly",
      SA: "semiannual",
      A: "annual"
    };
    h15Source = "Federal Reserve H.15";
  }
});

// src/store/sqlite/curves.ts
function readCurve(connection, { curveType, date: date4, onOrBefore }) {
  const newest = connection.column(
    "select max(trade_date) from curve where curve_type = ? and trade_date <= ?"
  );
  const day = onOrBefore ? newest.get(curveType, date4) : date4;
  return connection.objects(
    `select ${columns} from curve where curve_type = ? and trade_date = ? order by months`
  ).all(curveType, day);
}
function readYields(connection, { curveType, maturity, from, to, after, limit }) {
  const points = connection.objects(
    `select ${columns} from curve
     where curve_type = @curveType and trade_date between @from and @to ${maturity === void 0 ? "" : "and months = @months"}
       and (trade_date <> @afterDate or months > @afterMonths)
     order by trade_date desc, months limit @limit`
  );
  return points.all({
    curveType,
    from: from ?? "",
    // One upper bound, and no alternatives, which would lead past the index.
    to: earlier(to ?? "~", after?.tradeDate ?? "~"),
    afterDate: after?.tradeDate ?? "~",
    afterMonths: after === void 0 ? 0 : monthsOf2(after.maturity),
    limit,
    ...maturity !== void 0 && { months: monthsOf2(maturity) }
  });
}
function readSpread(connection, { curveType, long, short, from, to, before, limit }) {
  const pairs = connection.objects(
    `select l.trade_date as tradeDate, l.rate as long, s.rate as short
     from curve l join curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
     where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
       and l.trade_date < @before
     order by l.trade_date desc limit @limit`
  );
  return pairs.all({
    curveType,
    long: monthsOf2(long),
    short: monthsOf2(short),
    from: from ?? "",
    to: to ?? "~",
    before: before ?? "~",
    limit
  });
}
function readRates(connection) {
  const rows = connection.objects(
    `select curve_type as curveType, maturity, count(*) as count, min(trade_date) as first,
       max(trade_date) as last, json_group_array(distinct source) as sources
     from curve group by curve_type, months order by curve_type, months`
  );
  return rows.all().map((row) => ({ ...row, sources: JSON.parse(row.sources).sort() }));
}
function readPoints(connection, { curveType, from, to }) {
  return connection.objects(`select ${columns} from curve where curve_type = ? and trade_date between ? and ?`).all(curveType, from, to);
}
function writePoints(connection, points) {
  const upsert = connection.objects(
    `insert into curve (curve_type, trade_date, months, maturity, rate, source) values (?, ?, ?, ?, ?, ?)
     on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`
  );
  for (const { curveType, tradeDate, maturity, rate, source: source2 } of points)
    upsert.run(curveType, tradeDate, monthsOf2(maturity), maturity, rate, source2);
}
var columns;
var init_curves = __esm({
  "src/store/sqlite/curves.ts"() {
    "use strict";
    init_date();
    init_curve();
    columns = "curve_type as curveType, trade_date as tradeDate, maturity, rate, source";
  }
});

// src/domain/insider/filing.ts
function filingOf(header, trade) {
  return {
    filingId: header.filingId,
    accessionNumber: header.accessionNumber,
    formType: header.formType,
    filedOn: header.filedOn,
    acceptedAt: header.acceptedAt,
    originalFiledOn: header.originalFiledOn,
    periodOfReport: header.periodOfReport,
    issuerCik: header.issuerCik,
    issuerName: header.issuerName,
    ticker: header.ticker,
    owners: header.owners,
    is10b51: header.is10b51,
    row: trade.row,
    isDerivative: trade.isDerivative,
    securityTitle: trade.securityTitle,
    transactionDate: trade.transactionDate,
    transactionCode: trade.transactionCode,
    acquiredDisposed: trade.acquiredDisposed,
    shares: trade.shares,
    pricePerShare: trade.pricePerShare,
    sharesOwnedAfter: trade.sharesOwnedAfter,
    ownership: trade.ownership
  };
}
function rowOf(isDerivative, place2) {
  return isDerivative ? mostTrades + place2 : place2;
}
function isAmendment({ formType }) {
  return formType.endsWith("/A");
}
function symbolsOf(ticker) {
  const stated2 = (ticker ?? "").toUpperCase().replace(exchange, "");
  const symbols = stated2.split(/[,;/]|\bAND\b/).map((symbol) => symbol.replace(/^[^A-Z0-9]+|[^A-Z0-9]+$/g, "")).filter((symbol) => symbol !== "");
  return [...new Set(symbols)];
}
function impossibilityOf({
  transactionDate,
  filedOn,
  shares,
  pricePerShare
}) {
  if (transactionDate === null) return "no-trade-date";
  if (transactionDate > filedOn) return "dated-after-filing";
  if (transactionDate < exchangeAct) return "dated-before-exchange-act";
  if (Number(shares) < 0) return "negative-shares";
  if (Number(pricePerShare) < 0) return "negative-price";
  return void 0;
}
function impossibilityText(trade, impossibility) {
  const { transactionDate, filedOn, shares, pricePerShare } = trade;
  switch (impossibility) {
    case "no-trade-date":
      return "the trade has no date";
    case "dated-after-filing":
      return `dated ${transactionDate}, after its filing on ${filedOn}`;
    case "dated-before-exchange-act":
      return `dated ${transactionDate}, before insiders had to report (${exchangeAct})`;
    case "negative-shares":
      return `of ${shares} shares`;
    case "negative-price":
      return `at ${pricePerShare} a share`;
  }
}
function conflictingFields(held, given) {
  const differing = facts.filter(
    (field) => held[field] !== given[field] && held[field] !== null && given[field] !== null
  );
  const otherNumbers = numbers.filter(
    (field) => held[field] !== null && given[field] !== null && !sameNumber(held[field], given[field])
  );
  const [one, other] = [rolesIn(held), rolesIn(given)];
  const otherOwners = one !== "" && other !== "" && one !== other;
  return [...differing, ...otherNumbers, ...otherOwners ? ["owners"] : []];
}
function rolesIn({ owners }) {
  return owners.map(
    ({ cik: cik2, isDirector, isOfficer, isTenPercent }) => [cik2, isDirector, isOfficer, isTenPercent].join(" ")
  ).sort().join("; ");
}
function combinedFiling(held, given) {
  const fuller = (field) => held[field] === null || given[field] === null ? held[field] ?? given[field] : fullerText(held[field], given[field]);
  return {
    ...held,
    accessionNumber: held.accessionNumber ?? given.accessionNumber,
    acceptedAt: held.acceptedAt ?? given.acceptedAt,
    originalFiledOn: held.originalFiledOn ?? given.originalFiledOn,
    periodOfReport: held.periodOfReport ?? given.periodOfReport,
    is10b51: held.is10b51 ?? given.is10b51,
    transactionDate: held.transactionDate ?? given.transactionDate,
    transactionCode: held.transactionCode ?? given.transactionCode,
    acquiredDisposed: held.acquiredDisposed ?? given.acquiredDisposed,
    ownership: held.ownership ?? given.ownership,
    owners: fullerOwners(held.owners, given.owners),
    issuerName: fuller("issuerName"),
    ticker: fuller("ticker"),
    securityTitle: fuller("securityTitle"),
    shares: fuller("shares"),
    pricePerShare: fuller("pricePerShare"),
    sharesOwnedAfter: fuller("sharesOwnedAfter")
  };
}
function fullerOwners(a, b) {
  const [textA, textB] = [JSON.stringify(a), JSON.stringify(b)];
  return fullerText(textA, textB) === textA ? a : b;
}
var mostTrades, exchange, exchangeAct, facts, numbers;
var init_filing = __esm({
  "src/domain/insider/filing.ts"() {
    "use strict";
    init_decimal();
    mostTrades = 1e3;
    exchange = /^(?:NYSE(?: (?:AMERICAN|ARCA|MKT))?|NASDAQ|AMEX|ASX|TSX|OTC\w*)\s*[:/]\s*(?=\S)/;
    exchangeAct = "1934-06-06";
    facts = [
      "accessionNumber",
      "formType",
      "filedOn",
      "acceptedAt",
      "originalFiledOn",
      "periodOfReport",
      "issuerCik",
      "is10b51",
      "isDerivative",
      "transactionDate",
      "transactionCode",
      "acquiredDisposed",
      "ownership"
    ];
    numbers = ["shares", "pricePerShare", "sharesOwnedAfter"];
  }
});

// src/store/filing-record.ts
function headerCells(filing) {
  return [
    filing.filingId,
    filing.accessionNumber,
    filing.formType,
    filing.filedOn,
    filing.acceptedAt,
    filing.originalFiledOn,
    filing.periodOfReport,
    filing.issuerCik,
    filing.issuerName,
    filing.ticker,
    JSON.stringify(filing.owners),
    filing.is10b51 === null ? null : Number(filing.is10b51)
  ];
}
function tradeCells(trade) {
  return [
    trade.row,
    Number(trade.isDerivative),
    trade.securityTitle,
    trade.transactionDate,
    trade.transactionCode,
    trade.acquiredDisposed,
    trade.shares,
    trade.pricePerShare,
    trade.sharesOwnedAfter,
    trade.ownership
  ];
}
function headerOf(cells) {
  return {
    filingId: cells[0],
    accessionNumber: cells[1],
    formType: cells[2],
    filedOn: cells[3],
    acceptedAt: cells[4],
    originalFiledOn: cells[5],
    periodOfReport: cells[6],
    issuerCik: cells[7],
    issuerName: cells[8],
    ticker: cells[9],
    owners: JSON.parse(cells[10]),
    is10b51: cells[11] === null ? null : cells[11] === 1
  };
}
function tradeOf(cells) {
  return {
    row: cells[0],
    isDerivative: cells[1] === 1,
    securityTitle: cells[2],
    transactionDate: cells[3],
    transactionCode: cells[4],
    acquiredDisposed: cells[5],
    shares: cells[6],
    pricePerShare: cells[7],
    sharesOwnedAfter: cells[8],
    ownership: cells[9]
  };
}
function searchableNames({ owners }) {
  return owners.map(({ name }) => name.toLowerCase()).join("\n");
}
var headerColumns, tradeColumns;
var init_filing_record = __esm({
  "src/store/filing-record.ts"() {
    "use strict";
    headerColumns = [
      "filing_id",
      "accession_number",
      "form_type",
      "filed_on",
      "accepted_at",
      "original_filed_on",
      "period_of_report",
      "issuer_cik",
      "issuer_name",
      "ticker",
      "owners",
      "is_10b5_1"
    ];
    tradeColumns = [
      "row",
      "is_derivative",
      "security_title",
      "transaction_date",
      "transaction_code",
      "acquired_disposed",
      "shares",
      "price_per_share",
      "shares_owned_after",
      "ownership"
    ];
  }
});

// src/store/sqlite/filings.ts
function readHeldFilings(connection, filingIds) {
  const headers = connection.tuples(
    `select ${headerColumns.join()}, key, purchases from filing where filing_id = ?`
  );
  const trades = connection.tuples(`select ${tradeColumns.join()} from trade where filing = ?`);
  const held = /* @__PURE__ */ new Map();
  for (const filingId of filingIds) {
    const cells = headers.get(filingId);
    if (cells === void 0) continue;
    const [key, header] = [cells[12], headerOf(cells)];
    held.set(filingId, {
      header,
      concernsClusters: cells[13] === 1,
      trades: trades.all(key).map((trade) => tradeOf(trade))
    });
  }
  return held;
}
function writeFilings(connection, filings, held) {
  for (const filing of filings) {
    const before = held.get(filing.header.filingId);
    const key = before === void 0 ? insertHeader(connection, filing) : updateHeader(connection, filing, before.header);
    for (const trade of filing.trades) putTrade(connection, key, trade);
  }
}
function insertHeader(connection, { header, concernsClusters: concernsClusters2 }) {
  const places = headerColumns.map(() => "?").join();
  const { lastInsertRowid } = connection.run(
    `insert into filing (${headerColumns.join()}, owner_names, purchases) values (${places}, ?, ?)`,
    ...headerCells(header),
    searchableNames(header),
    Number(concernsClusters2)
  );
  const key = Number(lastInsertRowid);
  putSymbols(connection, key, header);
  return key;
}
function updateHeader(connection, { header, concernsClusters: concernsClusters2 }, before) {
  const key = connection.column("select key from filing where filing_id = ?").get(before.filingId) ?? 0;
  connection.run(
    `update filing set ${headerColumns.map((name) => `${name} = ?`).join()}, owner_names = ?, purchases = ? where key = ?`,
    ...headerCells(header),
    searchableNames(header),
    Number(concernsClusters2),
    key
  );
  for (const symbol of symbolsOf(before.ticker))
    connection.run("delete from symbol where symbol = ? and filing = ?", symbol, key);
  putSymbols(connection, key, header);
  return key;
}
function putSymbols(connection, key, { ticker }) {
  for (const symbol of symbolsOf(ticker))
    connection.run("insert into symbol (symbol, filing) values (?, ?)", symbol, key);
}
function putTrade(connection, filing, trade) {
  const places = tradeColumns.map(() => "?").join();
  connection.run(
    `insert or replace into trade (filing, ${tradeColumns.join()}) values (?, ${places})`,
    filing,
    ...tradeCells(trade)
  );
}
function readAcceptedFilings(connection, accessionNumbers) {
  const accepted = connection.column(
    "select filing_id from filing where filing_id = ? and accepted_at is not null"
  );
  return new Set(accessionNumbers.filter((number2) => accepted.get(number2) !== void 0));
}
function countFilings(connection) {
  const count = (table) => connection.column(`select count(*) from ${table}`).get() ?? 0;
  return { filings: count("filing"), trades: count("trade") };
}
function readFilings(connection, query) {
  const { ticker, ownerName, transactionCode, from, to, after, limit } = query;
  const conditions = [
    ...from === void 0 ? [] : ["f.filed_on >= @from"],
    ...to === void 0 ? [] : ["f.filed_on <= @to"],
    ...ticker === void 0 ? [] : ["f.key in (select filing from symbol where symbol = @ticker)"],
    // There is one name a line, so a text with a line end is a part of no name.
    ...ownerName === void 0 ? [] : ["instr(f.owner_names, @ownerName) > 0 and instr(@ownerName, char(10)) = 0"],
    ...transactionCode === void 0 ? [] : ["t.transaction_code = @transactionCode"],
    ...after === void 0 ? [] : [
      `f.filed_on <= @afterDay and (f.filed_on < @afterDay or f.filing_id > @afterFiling
             or (f.filing_id = @afterFiling and t.row > @afterRow))`
    ]
  ];
  const sql = `${both}${conditions.length > 0 ? ` where ${conditions.join(" and ")}` : ""}
    order by f.filed_on desc, f.filing_id, t.row limit @limit`;
  const rows = connection.tuples(sql).all({
    limit,
    ...from !== void 0 && { from },
    ...to !== void 0 && { to },
    ...ticker !== void 0 && { ticker: ticker.toUpperCase() },
    ...ownerName !== void 0 && { ownerName: ownerName.toLowerCase() },
    ...transactionCode !== void 0 && { transactionCode },
    ...after !== void 0 && {
      afterDay: after.filedOn,
      afterFiling: after.filingId,
      afterRow: after.row
    }
  });
  return rows.map(filingReader());
}
function* readPurchases(connection, { issuerCik, ticker, asOf }) {
  const conditions = [
    `f.purchases = 1 and t.is_derivative = 0 and (t.transaction_code = 'P' or f.form_type like '%/A')`,
    ...asOf === void 0 ? [] : ["f.filed_on <= @asOf"],
    ...issuerCik === void 0 ? [] : ["f.issuer_cik = @issuerCik"],
    ...ticker === void 0 ? [] : [
      `f.issuer_cik in (select issuer_cik from filing
             where key in (select filing from symbol where symbol = @ticker))`
    ]
  ];
  const rows = connection.tuples(`${both} where ${conditions.join(" and ")} order by f.issuer_cik`).iterate({
    ...asOf !== void 0 && { asOf },
    ...issuerCik !== void 0 && { issuerCik },
    ...ticker !== void 0 && { ticker: ticker.toUpperCase() }
  });
  const read = filingReader();
  let own = [];
  for (const row of rows) {
    const filing = read(row);
    if (own.length > 0 && own[0]?.issuerCik !== filing.issuerCik) {
      yield own;
      own = [];
    }
    own.push(filing);
  }
  if (own.length > 0) yield own;
}
function filingReader() {
  let header;
  return (cells) => {
    if (header === void 0 || header.filingId !== cells[10]) {
      const [, , , , , , , , , , ...filing] = cells;
      header = headerOf(filing);
    }
    return filingOf(header, tradeOf(cells));
  };
}
var columns2, both;
var init_filings = __esm({
  "src/store/sqlite/filings.ts"() {
    "use strict";
    init_filing();
    init_filing_record();
    columns2 = [...tradeColumns.map((name) => `t.${name}`), ...headerColumns.map((name) => `f.${name}`)];
    both = `select ${columns2.join()} from filing f join trade t on t.filing = f.key`;
  }
});

// src/store/followed.ts
function followedOf({ upTo, lastRun, ...row }) {
  return { ...row, upTo: upTo ?? void 0, lastRun: lastRun ?? void 0 };
}
var init_followed = __esm({
  "src/store/followed.ts"() {
    "use strict";
  }
});

// src/store/sqlite/following.ts
function readFollowed(connection) {
  return connection.objects(
    `select source, name, since, bookmark, up_to as upTo, last_run as lastRun, left_undone as left
       from followed order by source, name`
  ).all().map(followedOf);
}
function writeFollowed(connection, { upTo, lastRun, ...record }) {
  connection.run(
    `insert into followed (source, name, since, bookmark, up_to, last_run, left_undone)
     values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
     on conflict (source, name) do update
       set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
         left_undone = excluded.left_undone`,
    { ...record, upTo: upTo ?? null, lastRun: lastRun ?? null }
  );
}
function removeFollowed(connection, source2, name) {
  return connection.run("delete from followed where source = ? and name = ?", source2, name).changes > 0;
}
function readDescriptionChanges(connection, seriesId) {
  return connection.objects(
    `select id as seriesId, changed_on as changedOn, field, before, after
       from description_change join series on series.key = description_change.series
       where id = ? order by changed_on, field`
  ).all(seriesId);
}
function writeDescriptionChange(connection, change) {
  connection.run(
    `insert into description_change (series, changed_on, field, before, after)
     values ((select key from series where id = @seriesId), @changedOn, @field, @before, @after)
     on conflict do update set after = excluded.after`,
    change
  );
}
var init_following = __esm({
  "src/store/sqlite/following.ts"() {
    "use strict";
    init_followed();
  }
});

// src/store/series-record.ts
function seriesOf({
  dateCount: _dates,
  factCount: _facts,
  statedKind: _stated,
  ...series
}) {
  return series;
}
function recordOf(seriesId, { impliedFrequency, impliedSource, firstVintage, ...stated2 }) {
  return {
    stated: { seriesId, ...present(stated2) },
    implied: { seriesId, ...present({ frequency: impliedFrequency, source: impliedSource }) },
    hadStatements: firstVintage !== null
  };
}
function recordCells({ stated: stated2, implied }) {
  return {
    title: stated2.title ?? null,
    units: stated2.units ?? null,
    frequency: stated2.frequency ?? null,
    seasonalAdjustment: stated2.seasonalAdjustment ?? null,
    source: stated2.source ?? null,
    vintageKind: stated2.vintageKind ?? null,
    coveredTo: stated2.coveredTo ?? null,
    impliedFrequency: implied.frequency ?? null,
    impliedSource: implied.source ?? null
  };
}
function present(fields) {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  return Object.fromEntries(kept);
}
var init_series_record = __esm({
  "src/store/series-record.ts"() {
    "use strict";
  }
});

// src/store/sqlite/series.ts
function readSeries(connection, id) {
  return connection.objects(`select ${columns3} from series where id = ? and first_vintage is not null`).get(id);
}
function seriesOf2({ key: _key, ...row }) {
  return seriesOf(row);
}
function searchSeries(connection, { text, after = "", limit }) {
  return connection.objects(
    `select ${columns3} from series
       where first_vintage is not null and id > @after and instr(id, @text) > 0 order by id limit @limit`
  ).all({ after, text: text.toUpperCase(), limit }).map(seriesOf2);
}
function readObservations(connection, { key, firstVintage, dateCount, factCount }, { asOf = endOfTime, firstRelease, from = "", to = endOfTime, before, limit }) {
  const upTo = `${to}~`;
  const below = before !== void 0 && before < upTo ? before : upTo;
  const bounds = { key, from, below, asOf, limit };
  const rows = firstRelease === true ? connection.column(firstReleases).all({ ...bounds, firstVintage }) : connection.column(factCount > dateCount * seekFrom ? bySeek : byGroup).all(bounds);
  return rows.map((row) => ({
    date: row.slice(0, 10),
    asOfDate: row.slice(10, 20),
    value: row.slice(20)
  }));
}
function readRecord(connection, seriesId) {
  const row = connection.objects(
    `select title, units, frequency, seasonal_adjustment as seasonalAdjustment, source,
        stated_vintage_kind as vintageKind, stated_covered_to as coveredTo, implied_frequency as impliedFrequency, implied_source as impliedSource,
        first_vintage as firstVintage
      from series where id = ?`
  ).get(seriesId);
  return row && recordOf(seriesId, row);
}
function writeRecord(connection, key, { stated: stated2, implied }) {
  connection.run(
    `update series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
      stated_covered_to = @coveredTo,
      implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where key = @key`,
    { key, ...recordCells({ stated: stated2, implied }) }
  );
}
var columns3, endOfTime, seekFrom, within, byGroup, bySeek, firstReleases;
var init_series2 = __esm({
  "src/store/sqlite/series.ts"() {
    "use strict";
    init_series_record();
    columns3 = `key, id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as seasonalAdjustment, 
  case when instr(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as observationCount, date_count as dateCount, fact_count as factCount,
  first_vintage as firstVintage, last_vintage as lastVintage, covered_to as coveredTo,
  vintage_kind as vintageKind, stated_vintage_kind as statedKind, version`;
    endOfTime = "9999-12-31";
    seekFrom = 24;
    within = `series = @key and date >= @from and date < @below`;
    byGroup = `select date || max(as_of_date) || value from fact
  where ${within} and as_of_date <= @asOf
  group by date having value is not null order by date desc limit @limit`;
    bySeek = `with recursive day (date) as (
    select max(date) from fact where ${within}
    union all
    select (select max(f.date) from fact f where f.series = @key and f.date < day.date)
    from day where day.date > @from
  )
  select day.date || f.as_of_date || f.value
  from day join fact f on f.series = @key and f.date = day.date and f.as_of_date =
    (select max(as_of_date) from fact where series = @key and date = day.date and as_of_date <= @asOf)
  where f.value is not null and day.date >= @from limit @limit`;
    firstReleases = `select date || min(as_of_date) || value from fact
  where ${within} and as_of_date <= @asOf and value is not null
    and date > coalesce((select max(date) from fact
      where series = @key and as_of_date <= @firstVintage and value is not null), '')
  group by date order by date desc limit @limit`;
  }
});

// src/domain/series/revision-history.ts
function knownOn(changes, asOf) {
  return changeOn(changes, asOf)?.value ?? null;
}
function changeOn(changes, asOf) {
  return changes[lastUpTo(changes, asOf)];
}
function lastUpTo(changes, asOf) {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (changes[middle].asOf <= asOf) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
function place(history, asOf, value, replace) {
  const held = knownOn(history.changes, asOf);
  if (!history.statedAt.has(asOf)) {
    if (value !== held) rewrite(history, asOf, held, value);
    return "new";
  }
  if (sameNumber(value, held)) {
    const text = value === null || held === null ? value : fullerText(value, held);
    if (text !== held) rewrite(history, asOf, held, text);
    return "known";
  }
  if (replace) rewrite(history, asOf, held, value);
  return replace ? "new" : "conflict";
}
function rewrite({ changes, statedAt }, asOf, held, value) {
  const at = lastUpTo(changes, asOf);
  const isChange = changes[at]?.asOf === asOf;
  const before = (isChange ? changes[at - 1]?.value : changes[at]?.value) ?? null;
  const following = changes[at + 1];
  const confirmed = statedAt.next(asOf);
  const tail = [];
  if (value !== before) tail.push({ asOf, value });
  const repeats = confirmed !== void 0 && (following === void 0 || confirmed < following.asOf);
  if (repeats) tail.push({ asOf: confirmed, value: held });
  const dropFollowing = !repeats && following !== void 0 && following.value === value;
  const start = isChange ? at : at + 1;
  changes.splice(start, (isChange ? 1 : 0) + (dropFollowing ? 1 : 0), ...tail);
}
function addDifferences(date4, before, after, removed, inserted) {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start += 1;
  if (start === before.length && start === after.length) return;
  const old = /* @__PURE__ */ new Map();
  for (let i = start; i < before.length; i += 1) {
    const change = keptChange(date4, before, i);
    if (change !== void 0) old.set(change.asOf, change);
  }
  for (let i = start; i < after.length; i += 1) {
    const change = keptChange(date4, after, i);
    if (change === void 0) continue;
    const same = old.get(change.asOf);
    if (same !== void 0 && same.value === change.value && same.kind === change.kind)
      old.delete(change.asOf);
    else inserted.push(change);
  }
  removed.push(...old.values());
}
function isSame(one, other) {
  return one?.asOf === other?.asOf && one?.value === other?.value;
}
function keptChange(date4, changes, i) {
  const change = changes[i];
  if (change === void 0) return void 0;
  const before = i === 0 ? void 0 : changes[i - 1];
  const respelled = before !== void 0 && sameNumber(before.value, change.value);
  return { date: date4, asOf: change.asOf, value: change.value, kind: respelled ? "respelling" : "fact" };
}
var init_revision_history = __esm({
  "src/domain/series/revision-history.ts"() {
    "use strict";
    init_decimal();
  }
});

// src/store/statements.ts
async function* statementsOf({ seriesId, normalisedBy, statedKind, vintages: held }, changes) {
  const sets = /* @__PURE__ */ new Map();
  const vintages = held.map(({ asOf, dates: text, complete, kind }) => {
    const dates2 = sets.get(text) ?? parseDateSet(text, normalisedBy);
    sets.set(text, dates2);
    return { asOf, dates: dates2, complete, kind: kindOf(kind, statedKind ?? void 0) };
  });
  const dates = [...new Set([...sets.values()].flatMap((set) => set.days()))].sort();
  const datesRead = Math.max(16, Math.floor(batchSize / Math.max(1, vintages.length)));
  let batch = [];
  for (let at = 0; at < dates.length; at += datesRead) {
    const some = dates.slice(at, at + datesRead);
    const known2 = await changes(some[0] ?? "", some.at(-1) ?? "");
    for (const date4 of some) {
      const own = known2.get(date4) ?? [];
      for (const vintage of vintages) {
        if (!vintage.complete && !vintage.dates.has(date4)) continue;
        const { asOf, kind } = vintage;
        batch.push({ seriesId, date: date4, asOf, value: knownOn(own, asOf), kind });
      }
      if (batch.length >= batchSize) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}
function changesByDate(rows) {
  const changes = /* @__PURE__ */ new Map();
  for (const [date4, asOf, value] of rows) {
    const known2 = changes.get(date4);
    if (known2 === void 0) changes.set(date4, [{ asOf, value }]);
    else known2.push({ asOf, value });
  }
  return changes;
}
var batchSize;
var init_statements = __esm({
  "src/store/statements.ts"() {
    "use strict";
    init_date_set();
    init_revision_history();
    init_series();
    batchSize = 5e3;
  }
});

// src/store/sqlite/statements.ts
function readVintages(connection, key) {
  const rows = connection.objects(
    "select as_of_date as asOf, dates, complete, kind from vintage where series = ? order by as_of_date"
  ).all(key);
  return rows.map(({ complete, ...vintage }) => ({ ...vintage, complete: complete === 1 }));
}
function readChanges(connection, key, from, to) {
  const rows = connection.tuples(
    `select date, as_of_date, value from fact where series = @key and date between @from and @to
       union all select date, as_of_date, value from respelling where series = @key and date between @from and @to
       order by date, as_of_date`
  ).iterate({ key, from, to });
  return changesByDate(rows);
}
function readLatestChanges(connection, key, from, to) {
  const changes = /* @__PURE__ */ new Map();
  for (const table of ["fact", "respelling"]) {
    const rows = connection.column(
      `select date || max(as_of_date) || coalesce('=' || value, '') from ${table}
         where series = @key and date between @from and @to group by date`
    ).all({ key, from, to });
    for (const row of rows) {
      const [date4, asOf] = [row.slice(0, 10), row.slice(10, 20)];
      const known2 = changes.get(date4)?.[0];
      if (known2 !== void 0 && known2.asOf > asOf) continue;
      changes.set(date4, [{ asOf, value: row.length > 20 ? row.slice(21) : null }]);
    }
  }
  return changes;
}
function applyPlan(connection, key, plan) {
  const { removed, inserted, vintages } = plan;
  const statement = {
    remove: {
      fact: connection.objects("delete from fact where series = ? and date = ? and as_of_date = ?"),
      respelling: connection.objects(
        "delete from respelling where series = ? and date = ? and as_of_date = ?"
      )
    },
    insert: {
      fact: connection.objects("insert into fact values (?, ?, ?, ?)"),
      respelling: connection.objects("insert into respelling values (?, ?, ?, ?)")
    },
    list: connection.objects(
      `insert into vintage (series, as_of_date, dates, complete, kind) values (?, ?, ?, ?, ?)
       on conflict (series, as_of_date) do update
         set dates = excluded.dates, complete = excluded.complete, kind = excluded.kind`
    )
  };
  for (const { kind, date: date4, asOf } of removed) statement.remove[kind].run(key, date4, asOf);
  for (const { kind, date: date4, asOf, value } of inserted) statement.insert[kind].run(key, date4, asOf, value);
  for (const { asOf, dates, complete, kind } of vintages)
    statement.list.run(key, asOf, dates, Number(complete), kind);
}
async function* readStatements(connection, seriesId) {
  const series = connection.objects(
    "select key, normalised_by as normalisedBy, stated_vintage_kind as statedKind from series where id = ?"
  ).get(seriesId);
  if (series === void 0) return;
  const { key, ...stated2 } = series;
  yield* statementsOf(
    { seriesId, ...stated2, vintages: readVintages(connection, key) },
    async (from, to) => readChanges(connection, key, from, to)
  );
}
function readCompleteVintages(connection, seriesId) {
  return connection.objects(
    `select as_of_date as asOf, kind, stated_vintage_kind as statedKind
       from vintage join series on series.key = vintage.series
       where complete = 1 and series.id = ? order by as_of_date`
  ).all(seriesId).map(({ asOf, kind, statedKind }) => ({ asOf, kind: kindOf(kind, statedKind ?? void 0) }));
}
function readVintageOn(connection, { key, statedKind }, { asOf = "~", firstRelease = false }) {
  const one = (condition) => {
    const found = connection.objects(
      `select as_of_date as asOf, kind from vintage where series = ? and as_of_date ${condition} limit 1`
    ).get(key, asOf);
    return found && { asOf: found.asOf, kind: kindOf(found.kind, statedKind ?? void 0) };
  };
  const newest = one("<= ? order by as_of_date desc");
  const next = one("> ? order by as_of_date");
  if (!firstRelease) return { newest, next };
  const kept = connection.column("select distinct kind from vintage where series = ? and as_of_date <= ?").all(key, asOf);
  return { newest, next, kinds: kindsText(kept.map((kind) => kindOf(kind, statedKind ?? void 0))) };
}
function readRevisions(connection, { key, statedKind }, date4) {
  return connection.objects(
    `select as_of_date as asOfDate, value, kind from fact join vintage using (series, as_of_date)
       where series = ? and date = ? order by as_of_date`
  ).all(key, date4).map((row) => ({ ...row, kind: kindOf(row.kind, statedKind ?? void 0) }));
}
function readDates(connection, key, { from = "", to = "~", before = "~", limit }) {
  return connection.column(
    `select distinct date from fact where series = @key and date >= @from and date <= @to and date < @before
       order by date desc limit @limit`
  ).all({ key, from, to, before, limit });
}
function readVintageCounts(connection, { key, statedKind }, { from = "", to = "~", before = "~", limit }) {
  return connection.objects(vintagePage).all({ key, from, to, before, limit }).map((row) => ({ ...row, kind: kindOf(row.kind, statedKind ?? void 0) }));
}
function readFirstDate(connection, key) {
  return connection.column("select min(date) from fact where series = ?").get(key) ?? void 0;
}
var vintagePage;
var init_statements2 = __esm({
  "src/store/sqlite/statements.ts"() {
    "use strict";
    init_series();
    init_statements();
    vintagePage = `with page as (
    select as_of_date, kind from vintage
    where series = @key and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
    order by as_of_date desc limit @limit
  ), change as (
    select as_of_date, case
      when value is null then 'withdrawn'
      when lag(value) over (partition by date order by as_of_date) is null then 'added'
      else 'revised' end as kind
    from fact where series = @key and as_of_date <= (select max(as_of_date) from page)
  ), counted as (
    select as_of_date, sum(kind = 'added') as added, sum(kind = 'revised') as revised,
      sum(kind = 'withdrawn') as withdrawn
    from change group by as_of_date
  )
  select as_of_date as asOfDate, coalesce(added, 0) as added, coalesce(revised, 0) as revised,
    coalesce(withdrawn, 0) as withdrawn, kind
  from page left join counted using (as_of_date) order by as_of_date desc`;
  }
});

// src/store/postgres/address.ts
import { readFileSync as readFileSync3 } from "node:fs";
import { homedir } from "node:os";
import { join as join3 } from "node:path";
function parseAddress(address, env = process.env) {
  const shown3 = shownAddress(address);
  const refused = (reason) => new Problem("bad-input", `${shown3}: ${reason}`, {
    hints: ["postgres://USER@HOST:PORT/DATABASE names a store in PostgreSQL"]
  });
  const own = parametersOf(address, refused);
  const unknown = Object.keys(own).find((name) => !known.has(name));
  if (unknown !== void 0) throw refused(`unknown parameter '${unknown}'`);
  const service = own.service ?? env.PGSERVICE;
  const given = { ...service !== void 0 && serviceParameters(service, env), ...own };
  const text = (name, variable) => given[name] ?? env[variable];
  const { schema, others } = schemaIn(text("options", "PGOPTIONS") ?? "");
  const named = given.schema ?? schema ?? usualSchema;
  if (!/^[\p{L}_][\p{L}\p{N}_$]{0,62}$/u.test(named)) throw refused(`'${named}' cannot name a schema`);
  const port = Number(text("port", "PGPORT") ?? 5432);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw refused("its port is not a number to 65535");
  const [host, user] = [text("host", "PGHOST"), text("user", "PGUSER")];
  const [database, password] = [text("dbname", "PGDATABASE"), text("password", "PGPASSWORD")];
  const seconds = Number(text("connect_timeout", "PGCONNECT_TIMEOUT") ?? 10);
  if (host?.includes(",")) throw refused("it names several hosts: name one");
  return {
    shown: shown3,
    schema: named,
    config: {
      port,
      keepAlive: true,
      application_name: text("application_name", "PGAPPNAME") ?? "asof",
      connectionTimeoutMillis: Number.isFinite(seconds) && seconds > 0 ? seconds * 1e3 : 0,
      enableChannelBinding: given.channel_binding !== "disable",
      ...host !== void 0 && { host },
      ...user !== void 0 && { user },
      ...database !== void 0 && { database },
      ...password !== void 0 && { password },
      ...others !== "" && { options: others }
    },
    ways: tlsWays(given, env, host ?? "localhost", refused)
  };
}
function parametersOf(address, refused) {
  let url;
  try {
    url = new URL(address);
  } catch {
    throw refused("it is not a valid address; %XX encodes special characters of a password");
  }
  try {
    const place2 = {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      host: decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1"),
      port: url.port,
      dbname: decodeURIComponent(url.pathname.slice(1))
    };
    const stated2 = Object.entries(place2).filter(([, value]) => value !== "");
    return { ...Object.fromEntries(stated2), ...Object.fromEntries(url.searchParams) };
  } catch {
    throw refused("it is not encoded as an address must be (%XX)");
  }
}
function serviceParameters(service, env) {
  const paths = [
    env.PGSERVICEFILE ?? join3(env.HOME ?? homedir(), ".pg_service.conf"),
    ...env.PGSYSCONFDIR === void 0 ? [] : [join3(env.PGSYSCONFDIR, "pg_service.conf")]
  ];
  for (const path of paths) {
    const found = sectionOf(textOf(path), service);
    if (found !== void 0) return found;
  }
  throw new Problem("bad-input", `there is no service '${service}' in ${paths.join(" or ")}`);
}
function textOf(path) {
  try {
    return readFileSync3(path, "utf8");
  } catch (cause) {
    if (cause.code === "ENOENT") return "";
    throw systemProblem("read", path, cause);
  }
}
function sectionOf(text, name) {
  let found;
  for (const line of text.split(/\r?\n/).map((one) => one.trim())) {
    if (line.startsWith("[")) {
      if (found !== void 0) return found;
      if (line === `[${name}]`) found = {};
    } else if (found !== void 0 && line !== "" && !line.startsWith("#")) {
      const at = line.indexOf("=");
      if (at > 0) found[line.slice(0, at).trim()] = line.slice(at + 1).trim();
    }
  }
  return found;
}
function schemaIn(options) {
  let schema;
  const others = options.replace(/(?:-c\s*|--)search_path=("[^"]*"|[^\s,]*)(?:,\S*)?/, (_, first) => {
    schema = first.replaceAll('"', "");
    return "";
  });
  return { schema, others: others.trim() };
}
function tlsWays(given, env, host, refused) {
  const file = (name, variable) => {
    const path = given[name] ?? env[variable];
    if (path === void 0 || path === "" || path === "system") return void 0;
    try {
      return readFileSync3(path, "utf8");
    } catch (cause) {
      throw systemProblem("read", path, cause);
    }
  };
  const mode = given.sslmode ?? env.PGSSLMODE ?? "prefer";
  if (mode === "disable") return [false];
  const [ca, cert, key] = [
    file("sslrootcert", "PGSSLROOTCERT"),
    file("sslcert", "PGSSLCERT"),
    file("sslkey", "PGSSLKEY")
  ];
  const files = { ...ca && { ca }, ...cert && { cert }, ...key && { key } };
  const unverified = { ...files, rejectUnauthorized: false };
  const byAuthority = { ...files, rejectUnauthorized: true, checkServerIdentity: () => void 0 };
  switch (mode) {
    case "allow":
    case "prefer":
      return host.startsWith("/") ? [false] : [unverified, false];
    case "require":
      return [ca === void 0 ? unverified : byAuthority];
    case "verify-ca":
      return [byAuthority];
    case "verify-full":
      return [{ ...files, rejectUnauthorized: true }];
    default:
      throw refused(`sslmode '${mode}' is none of disable, allow, prefer, require, verify-ca, verify-full`);
  }
}
var known, usualSchema;
var init_address2 = __esm({
  "src/store/postgres/address.ts"() {
    "use strict";
    init_problem();
    init_system_errors();
    init_address();
    known = /* @__PURE__ */ new Set([
      "host",
      "port",
      "dbname",
      "user",
      "password",
      "service",
      "schema",
      "options",
      "application_name",
      "connect_timeout",
      "channel_binding",
      "sslmode",
      "sslrootcert",
      "sslcert",
      "sslkey"
    ]);
    usualSchema = "asof";
  }
});

// src/store/postgres/connection.ts
import { createHash as createHash2 } from "node:crypto";
import pg from "pg";
function lockNumber(name) {
  return createHash2("sha256").update(name).digest().readBigInt64BE();
}
function asProblem2(shown3, error) {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code } = error;
  if (error instanceof pg.DatabaseError && typeof code === "string") {
    if (away.test(code)) return unreachableProblem(shown3, error.message, error);
    const reason = refusals[code] ?? refusals[code.slice(0, 2)];
    if (reason === void 0) return error;
    return new Problem("local-io", `cannot use the store ${shown3}: ${reason} (${error.message})`, {
      cause: error
    });
  }
  if (typeof code === "string" && unreachable[code] !== void 0)
    return unreachableProblem(shown3, unreachable[code], error);
  if (error instanceof AggregateError) return asProblem2(shown3, error.errors[0]);
  if (/^(?:Connection terminated|timeout exceeded|Client has encountered|Client was closed)/.test(error.message))
    return unreachableProblem(shown3, "the connection was closed or does not come about", error);
  if (/SSL|certificate|SASL|SCRAM|self-signed|password/i.test(error.message) || code?.toString().includes("CERT"))
    return new Problem("local-io", `cannot use the store ${shown3}: ${error.message}`, { cause: error });
  return error;
}
function unreachableProblem(shown3, reason, cause) {
  return new Problem("unreachable", `cannot reach the store ${shown3}: ${reason}`, {
    retryAfter: 1,
    cause
  });
}
var parsers, types, withoutTls, Database, begins, Transaction, refusals, away, unreachable;
var init_connection2 = __esm({
  "src/store/postgres/connection.ts"() {
    "use strict";
    init_problem();
    init_address2();
    parsers = /* @__PURE__ */ new Map([
      [pg.types.builtins.DATE, (text) => text],
      [pg.types.builtins.INT8, Number]
    ]);
    types = {
      getTypeParser: ((oid, format) => parsers.get(oid) ?? pg.types.getTypeParser(oid, format))
    };
    withoutTls = /* @__PURE__ */ new Set();
    Database = class _Database {
      /** The address without passwords. */
      shown;
      schema;
      #pool;
      #texts = /* @__PURE__ */ new Map();
      constructor({ shown: shown3, schema }, pool) {
        this.shown = shown3;
        this.schema = schema;
        this.#pool = pool;
      }
      /** Connects to the database of an address; a Problem where that fails. */
      static async open(address, connections = 10) {
        const parsed = parseAddress(address);
        const place2 = `${parsed.config.host}:${parsed.config.port}`;
        const ways = withoutTls.has(place2) ? parsed.ways.slice(-1) : parsed.ways;
        for (const [index, ssl] of ways.entries()) {
          const pool = new pg.Pool({ ...parsed.config, ssl, types, pipeline: true, max: connections });
          pool.on("error", () => void 0);
          try {
            (await pool.connect()).release();
            return new _Database(parsed, pool);
          } catch (error) {
            await pool.end();
            const isLast = index === ways.length - 1;
            if (isLast || !/does not support SSL|^SSL/i.test(String(error.message)))
              throw asProblem2(parsed.shown, error);
            withoutTls.add(place2);
          }
        }
        throw new Error(`there is no way to connect to ${parsed.shown}`);
      }
      /** A connection that holds a transaction, which begins together with its first statement. */
      async begin(mode) {
        try {
          const client = await this.#pool.connect();
          return new Transaction(this, client, mode);
        } catch (error) {
          throw asProblem2(this.shown, error);
        }
      }
      /** Calls `work` with a transaction, and commits what it wrote. */
      async inTransaction(mode, work) {
        const transaction = await this.begin(mode);
        try {
          const result = await work(transaction);
          await transaction.commit();
          return result;
        } catch (error) {
          transaction.abandon();
          throw error;
        }
      }
      async close() {
        if (!this.#pool.ending) await this.#pool.end();
      }
      /** A statement as the server takes it: `asof.` is the schema of the store, and `@name` a parameter. */
      compiled(sql) {
        const known2 = this.#texts.get(sql);
        if (known2 !== void 0) return known2;
        const names2 = [];
        const text = sql.replace(/\basof\./g, `${pg.escapeIdentifier(this.schema)}.`).replace(/@(\w+)/g, (_, name) => {
          if (!names2.includes(name)) names2.push(name);
          return `$${names2.indexOf(name) + 1}`;
        });
        const made = { text, names: names2 };
        this.#texts.set(sql, made);
        return made;
      }
    };
    begins = {
      read: "begin isolation level repeatable read read only; set local datestyle to 'ISO, YMD'",
      write: "begin; set local datestyle to 'ISO, YMD'; set local idle_in_transaction_session_timeout to 0; set local statement_timeout to 0"
    };
    Transaction = class {
      #database;
      #client;
      #begun;
      #written = Promise.resolve();
      #ended = false;
      #broken;
      constructor(database, client, mode) {
        this.#database = database;
        this.#client = client;
        client.on("error", this.#onError);
        this.#begun = client.query(begins[mode]);
        this.#begun.catch(() => void 0);
      }
      /** The rows of a statement. */
      async rows(sql, values = {}) {
        return (await this.#send(sql, values)).rows;
      }
      /** The first row of a statement. */
      async row(sql, values = {}) {
        return (await this.rows(sql, values))[0];
      }
      /** Runs a statement; gives the number of rows that it changed. */
      async run(sql, values = {}) {
        return (await this.#send(sql, values)).rowCount ?? 0;
      }
      /**
       * Sends a statement that writes, and waits only for the one before it, so that the server works while the next is made.
       * A failure is that of the next call.
       */
      async write(sql, values = {}) {
        const sent = this.#send(sql, values);
        sent.catch(() => void 0);
        const before = this.#written;
        this.#written = sent;
        await before;
      }
      /** The rows of a query, some thousands at a time. */
      async *batches(sql, values, size = 2e3) {
        await this.run(`declare batches no scroll cursor for ${sql}`, values);
        for (; ; ) {
          const rows = await this.rows(`fetch ${size} from batches`);
          if (rows.length > 0) yield rows;
          if (rows.length < size) break;
        }
        await this.run("close batches");
      }
      async commit() {
        try {
          await this.#written;
          await this.#send("commit", {});
        } finally {
          this.#release();
        }
      }
      /** Ends a transaction that only read, without waiting for the server. */
      finish() {
        if (this.#ended) return;
        this.#client.query("commit").catch(() => void 0);
        this.#release();
      }
      /** Leaves the database as it was. */
      abandon() {
        if (this.#ended) return;
        this.#client.query("rollback").catch(() => void 0);
        this.#release();
      }
      #onError = (error) => {
        this.#broken = error;
      };
      #release() {
        if (this.#ended) return;
        this.#ended = true;
        this.#client.off("error", this.#onError);
        this.#client.release(this.#broken);
      }
      async #send(sql, values) {
        if (this.#ended) throw new Error("this transaction has ended");
        const { text, names: names2 } = this.#database.compiled(sql);
        try {
          const [result] = await Promise.all([
            this.#client.query({ text, values: names2.map((name) => values[name] ?? null) }),
            this.#begun
          ]);
          return result;
        } catch (error) {
          throw asProblem2(this.#database.shown, error);
        }
      }
    };
    refusals = {
      "28P01": "the password is wrong",
      "28000": "the server refuses this user",
      "3D000": "there is no such database",
      "42501": "this user may not do that",
      "25006": "the server is read-only",
      "53100": "the disk of the server is full",
      "53200": "the server is out of memory",
      "58": "the server reports an error of its disk",
      XX: "the server reports that data are damaged",
      "40P01": "another import is writing to it; try again when it is done",
      "40001": "another import is writing to it; try again when it is done"
    };
    away = /^(?:08|57P0|53300|57014$)/;
    unreachable = {
      ECONNREFUSED: "nothing listens there",
      ECONNRESET: "the connection was closed",
      EPIPE: "the connection was closed",
      ENOTFOUND: "there is no host of that name",
      EAI_AGAIN: "the name of the host cannot be looked up",
      ETIMEDOUT: "the server does not answer",
      EHOSTUNREACH: "there is no way to the server",
      ENETUNREACH: "there is no way to the server",
      ENOENT: "there is no such socket",
      EACCES: "permission denied"
    };
  }
});

// src/store/postgres/citus.ts
async function citusVersion(transaction) {
  const row = await transaction.row(
    "select extversion as version from pg_extension where extname = 'citus'"
  );
  return row?.version;
}
async function distributeTables(transaction) {
  await transaction.run("set local citus.multi_shard_modify_mode to 'sequential'");
  for (const call of distributions) {
    const table = /'([^']+)'/.exec(call)?.[1] ?? "";
    await transaction.run(
      `select ${call} where not exists (select 1 from pg_dist_partition where logicalrelid = '${table}'::regclass)`
    );
  }
}
async function keepDistributed(transaction) {
  if (await citusVersion(transaction) === void 0) return;
  const series = await transaction.row(
    "select 1 from pg_dist_partition where logicalrelid = 'asof.series'::regclass"
  );
  if (series !== void 0) await distributeTables(transaction);
}
var distributions;
var init_citus = __esm({
  "src/store/postgres/citus.ts"() {
    "use strict";
    init_problem();
    distributions = [
      "create_distributed_table('asof.series', 'id', colocate_with => 'none')",
      "create_distributed_table('asof.fact', 'series', colocate_with => 'asof.series')",
      "create_distributed_table('asof.respelling', 'series', colocate_with => 'asof.series')",
      "create_distributed_table('asof.vintage', 'series', colocate_with => 'asof.series')",
      "create_distributed_table('asof.description_change', 'series', colocate_with => 'asof.series')",
      "create_distributed_table('asof.filing', 'issuer_cik', colocate_with => 'none')",
      "create_distributed_table('asof.trade', 'issuer_cik', colocate_with => 'asof.filing')",
      "create_distributed_table('asof.symbol', 'issuer_cik', colocate_with => 'asof.filing')"
    ];
  }
});

// src/store/postgres/schema.ts
import pg2 from "pg";
function hasStore(transaction, schema) {
  return hasTable(transaction, schema, "store");
}
async function hasTable(transaction, schema, table) {
  const found = await transaction.row(
    `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = @schema and c.relname = @table`,
    { schema, table }
  );
  return found !== void 0;
}
async function checkFormat(transaction, database) {
  if (!await hasStore(transaction, database.schema))
    throw new Problem("local-io", `there is no store in the schema ${database.schema} of ${database.shown}`, {
      hints: [
        "`asof import --store` with this address makes one",
        "schema=NAME in the address names another schema"
      ]
    });
  const format = await readFormat(transaction, database);
  if (format < currentFormat2)
    throw new Problem("local-io", `${database.shown} was made by an older asof`, {
      hints: ["any `asof import` into it, by a user who may change its tables, brings it up to date"]
    });
}
async function readFormat(transaction, { shown: shown3 }) {
  const row = await transaction.row("select format from asof.store");
  const format = row?.format ?? 0;
  if (format > currentFormat2)
    throw new Problem(
      "local-io",
      `${shown3} was made by a newer asof (store format ${format}; this one reads up to ${currentFormat2})`,
      { hints: ["update asof"] }
    );
  return format;
}
async function prepareStore(transaction, database) {
  if (await hasStore(transaction, database.schema) && await readFormat(transaction, database) === currentFormat2)
    return false;
  await transaction.run("select pg_advisory_xact_lock(@key)", {
    key: lockNumber(`format of ${database.schema}`)
  });
  const found = await hasStore(transaction, database.schema);
  if (!found) await createSchema2(transaction, database.schema);
  const format = found ? await readFormat(transaction, database) : 0;
  for (const step of migrations2.slice(format)) await transaction.run(step);
  await transaction.run(`update asof.store set format = ${currentFormat2}`);
  if (found) await keepDistributed(transaction);
  return !found;
}
async function createSchema2(transaction, schema) {
  const there = await transaction.row("select 1 from pg_namespace where nspname = @schema", { schema });
  if (there === void 0)
    await transaction.run(`create schema if not exists ${pg2.escapeIdentifier(schema)}`);
}
var migrations2, currentFormat2;
var init_schema2 = __esm({
  "src/store/postgres/schema.ts"() {
    "use strict";
    init_problem();
    init_citus();
    init_connection2();
    migrations2 = [
      `
  create table asof.series (
    id text collate "C" primary key,
    title text, units text, frequency text, seasonal_adjustment text, source text,
    implied_frequency text, implied_source text, stated_covered_to date, stated_vintage_kind text,
    spacing_frequency text not null default '',
    normalised_by text not null default '',
    vintage_kind text not null default '',
    observation_count bigint not null default 0,
    date_count bigint not null default 0,
    fact_count bigint not null default 0,
    first_vintage date, last_vintage date, covered_to date,
    version bigint not null default 0,
    -- Another text after every change, also in a store that was restored from a copy.
    state text not null default ''
  );

  -- Numeric changes of knowledge: from as_of_date on, the value of date was value (null: withdrawn).
  create table asof.fact (
    series text collate "C" not null,
    date date not null,
    as_of_date date not null,
    value text,
    primary key (series, date, as_of_date)
  );

  -- Statements that repeat the number known with another text (1.5, then 1.50).
  create table asof.respelling (
    series text collate "C" not null,
    date date not null,
    as_of_date date not null,
    value text not null,
    primary key (series, date, as_of_date)
  );

  -- On which dates each day made statements, as published; what each said is the value known on that day.
  create table asof.vintage (
    series text collate "C" not null,
    as_of_date date not null,
    dates text not null,
    complete boolean not null default false,
    kind text not null default '',
    primary key (series, as_of_date)
  );

  -- Fields of a series' description that changed, such as its units.
  create table asof.description_change (
    series text collate "C" not null,
    changed_on date not null,
    field text collate "C" not null,
    before text not null,
    after text not null,
    primary key (series, changed_on, field)
  );

  create table asof.curve (
    curve_type text collate "C" not null,
    trade_date date not null,
    months double precision not null,
    maturity text not null,
    rate text not null,
    source text collate "C" not null,
    primary key (curve_type, trade_date, months)
  );

  -- What insiders filed: known from filed_on on. purchases marks what clusters are made of.
  create table asof.filing (
    filing_id text collate "C" not null,
    accession_number text,
    form_type text not null,
    filed_on date not null,
    accepted_at text,
    original_filed_on text,
    period_of_report text,
    issuer_cik text collate "C" not null,
    issuer_name text,
    ticker text,
    owners text not null,
    owner_names text not null,
    is_10b5_1 integer,
    purchases integer not null default 0,
    primary key (issuer_cik, filing_id)
  );
  create index filing_by_id on asof.filing (filing_id);
  create index newest_filings on asof.filing (filed_on desc, filing_id);
  create index purchases_of_issuer on asof.filing (issuer_cik) where purchases = 1;
  create table asof.trade (
    issuer_cik text collate "C" not null,
    filing_id text collate "C" not null,
    row integer not null,
    is_derivative integer not null,
    security_title text,
    transaction_date text,
    transaction_code text collate "C",
    acquired_disposed text,
    shares text,
    price_per_share text,
    shares_owned_after text,
    ownership text,
    primary key (issuer_cik, filing_id, row)
  );
  -- The trading symbols under which each was filed.
  create table asof.symbol (
    symbol text collate "C" not null,
    issuer_cik text collate "C" not null,
    filing_id text collate "C" not null,
    primary key (symbol, issuer_cik, filing_id)
  );

  create table asof.import (
    id bigint generated always as identity primary key,
    imported_at text not null,
    file text not null,
    kind text not null,
    sha256 text not null,
    series bigint not null,
    statements_new bigint not null,
    statements_known bigint not null,
    withdrawn bigint not null,
    outdated boolean not null default false
  );

  -- What the store follows at live sources; bookmark says, in the words of the source, how far its facts reach.
  create table asof.followed (
    source text collate "C" not null,
    name text collate "C" not null,
    since text not null,
    bookmark text not null,
    up_to date,
    last_run text,
    left_undone text not null,
    primary key (source, name)
  );

  -- One row; revision changes with every import that changed anything, and state becomes another text.
  create table asof.store (
    only_row integer primary key check (only_row = 1),
    format integer not null,
    revision bigint not null,
    state text not null
  );
  insert into asof.store values (1, 0, 0, gen_random_uuid()::text);

  -- For queries with psql.
  create view asof.observation as
    select series as series_id, date, as_of_date, value from asof.fact;
  create view asof.insider_trade as
    select f.filed_on, f.filing_id, t.row, f.form_type, f.issuer_cik, f.issuer_name, f.ticker, f.owners, t.is_derivative,
      t.security_title, t.transaction_date, t.transaction_code, t.acquired_disposed, t.shares, t.price_per_share,
      t.shares_owned_after, t.ownership
    from asof.filing f join asof.trade t using (issuer_cik, filing_id);
  `,
      `
  -- For filings that an import replaces.
  create index symbol_of_filing on asof.symbol (filing_id);
  `
    ];
    currentFormat2 = migrations2.length;
  }
});

// src/store/postgres/curves.ts
function readCurve2(transaction, { curveType, date: date4, onOrBefore }) {
  const newest = "(select max(trade_date) from asof.curve where curve_type = @curveType and trade_date <= @date)";
  return transaction.rows(
    `select ${columns4} from asof.curve
     where curve_type = @curveType and trade_date = ${onOrBefore ? newest : "@date"} order by months`,
    { curveType, date: date4 }
  );
}
function readYields2(transaction, { curveType, maturity, from, to, after, limit }) {
  return transaction.rows(
    `select ${columns4} from asof.curve
     where curve_type = @curveType and trade_date between @from and @to ${maturity === void 0 ? "" : "and months = @months"}
       and (trade_date < @afterDate or (trade_date = @afterDate and months > @afterMonths))
     order by trade_date desc, months limit @limit`,
    {
      curveType,
      from: from ?? "-infinity",
      to: to ?? "infinity",
      afterDate: after?.tradeDate ?? "infinity",
      afterMonths: after === void 0 ? 0 : monthsOf2(after.maturity),
      limit,
      months: maturity === void 0 ? void 0 : monthsOf2(maturity)
    }
  );
}
function readSpread2(transaction, { curveType, long, short, from, to, before, limit }) {
  return transaction.rows(
    `select l.trade_date as "tradeDate", l.rate as long, s.rate as short
     from asof.curve l
       join asof.curve s on s.curve_type = l.curve_type and s.trade_date = l.trade_date and s.months = @short
     where l.curve_type = @curveType and l.months = @long and l.trade_date between @from and @to
       and l.trade_date < @before
     order by l.trade_date desc limit @limit`,
    {
      curveType,
      long: monthsOf2(long),
      short: monthsOf2(short),
      from: from ?? "-infinity",
      to: to ?? "infinity",
      before: before ?? "infinity",
      limit
    }
  );
}
function readRates2(transaction) {
  return transaction.rows(
    `select curve_type as "curveType", min(maturity) as maturity, count(*) as count, min(trade_date) as first,
       max(trade_date) as last, array_agg(distinct source order by source) as sources
     from asof.curve group by curve_type, months order by curve_type, months`
  );
}
async function newestCurve(transaction, curveType) {
  const row = await transaction.row(
    "select max(trade_date) as newest from asof.curve where curve_type = @curveType",
    { curveType }
  );
  return row?.newest ?? void 0;
}
function readPoints2(transaction, range) {
  return transaction.rows(
    `select ${columns4} from asof.curve where curve_type = @curveType and trade_date between @from and @to`,
    range
  );
}
function writePoints2(transaction, points) {
  return transaction.write(
    `insert into asof.curve (curve_type, trade_date, months, maturity, rate, source)
     select * from unnest(@types::text[], @dates::date[], @months::double precision[], @maturities::text[],
       @rates::text[], @sources::text[])
     on conflict (curve_type, trade_date, months) do update set rate = excluded.rate, source = excluded.source`,
    {
      types: points.map(({ curveType }) => curveType),
      dates: points.map(({ tradeDate }) => tradeDate),
      months: points.map(({ maturity }) => monthsOf2(maturity)),
      maturities: points.map(({ maturity }) => maturity),
      rates: points.map(({ rate }) => rate),
      sources: points.map(({ source: source2 }) => source2)
    }
  );
}
var columns4;
var init_curves2 = __esm({
  "src/store/postgres/curves.ts"() {
    "use strict";
    init_curve();
    columns4 = 'curve_type as "curveType", trade_date as "tradeDate", maturity, rate, source';
  }
});

// src/store/postgres/filings.ts
function headerIn(row) {
  return headerOf(headerColumns.map((name) => row[name]));
}
function tradeIn(row) {
  return tradeOf(tradeColumns.map((name) => row[name]));
}
async function readHeldFilings2(transaction, ids) {
  const [headers, trades] = await Promise.all([
    transaction.rows(
      `select ${headerColumns.join()}, purchases from asof.filing where filing_id = any(@ids)`,
      { ids }
    ),
    transaction.rows(
      `select t.filing_id, ${tradeColumns.map((name) => `t.${name}`).join()} from asof.filing f
         join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id
       where f.filing_id = any(@ids)`,
      { ids }
    )
  ]);
  const ofFiling = /* @__PURE__ */ new Map();
  for (const row of trades) {
    const own = ofFiling.get(row.filing_id);
    if (own === void 0) ofFiling.set(row.filing_id, [tradeIn(row)]);
    else own.push(tradeIn(row));
  }
  return new Map(
    headers.map((row) => {
      const header = headerIn(row);
      const held = {
        header,
        concernsClusters: row.purchases === 1,
        trades: ofFiling.get(header.filingId) ?? []
      };
      return [header.filingId, held];
    })
  );
}
async function writeFilings2(transaction, filings, held) {
  const replaced = filings.flatMap(({ header }) => held.get(header.filingId)?.header ?? []);
  if (replaced.length > 0)
    for (const table of ["symbol", "filing"]) await removeRows(transaction, table, replaced);
  const moved = filings.filter(({ header }) => {
    const before = held.get(header.filingId)?.header;
    return before !== void 0 && before.issuerCik !== header.issuerCik;
  });
  if (moved.length > 0)
    await removeRows(
      transaction,
      "trade",
      moved.flatMap(({ header }) => held.get(header.filingId)?.header ?? [])
    );
  const isMoved = new Set(moved);
  const trades = filings.flatMap((filing) => {
    const changed = new Map(filing.trades.map((trade) => [trade.row, trade]));
    const before = isMoved.has(filing) ? held.get(filing.header.filingId)?.trades ?? [] : [];
    const rest = before.filter(({ row }) => !changed.has(row));
    return [...rest, ...filing.trades].map((trade) => ({ header: filing.header, trade }));
  });
  await addHeaders(transaction, filings);
  await putTrades(transaction, trades);
}
function removeRows(transaction, table, headers) {
  return transaction.write(
    `delete from asof.${table} where issuer_cik = any(@ciks::text[]) and filing_id = any(@ids::text[])`,
    {
      ciks: [...new Set(headers.map(({ issuerCik }) => issuerCik))],
      ids: headers.map(({ filingId }) => filingId)
    }
  );
}
async function insertRows(transaction, table, columns9, rows, onConflict = "") {
  const arrays = columns9.map((name) => `@${name}::${otherTypes[name] ?? "text"}[]`);
  const values = Object.fromEntries(columns9.map((name, i) => [name, rows.map((row) => row[i])]));
  await transaction.write(
    `insert into asof.${table} (${columns9.join()}) select * from unnest(${arrays.join()}) ${onConflict}`,
    values
  );
}
async function addHeaders(transaction, filings) {
  await insertRows(
    transaction,
    "filing",
    [...headerColumns, "owner_names", "purchases"],
    filings.map(({ header, concernsClusters: concernsClusters2 }) => [
      ...headerCells(header),
      searchableNames(header),
      Number(concernsClusters2)
    ])
  );
  const symbols = filings.flatMap(
    ({ header: { ticker, issuerCik, filingId } }) => symbolsOf(ticker).map((symbol) => [symbol, issuerCik, filingId])
  );
  if (symbols.length > 0)
    await insertRows(transaction, "symbol", ["symbol", "issuer_cik", "filing_id"], symbols);
}
async function putTrades(transaction, trades) {
  if (trades.length === 0) return;
  const changes = tradeColumns.filter((name) => name !== "row").map((name) => `${name} = excluded.${name}`);
  await insertRows(
    transaction,
    "trade",
    ["issuer_cik", "filing_id", ...tradeColumns],
    trades.map(({ header, trade }) => [header.issuerCik, header.filingId, ...tradeCells(trade)]),
    `on conflict (issuer_cik, filing_id, row) do update set ${changes.join()}`
  );
}
async function readAcceptedFilings2(transaction, accessionNumbers) {
  const rows = await transaction.rows(
    "select filing_id from asof.filing where filing_id = any(@ids) and accepted_at is not null",
    { ids: accessionNumbers }
  );
  return new Set(rows.map(({ filing_id }) => filing_id));
}
async function readSymbols(transaction) {
  const rows = await transaction.rows(
    "select distinct symbol from asof.symbol order by symbol"
  );
  return rows.map(({ symbol }) => symbol);
}
async function countFilings2(transaction) {
  const count = async (table) => (await transaction.row(`select count(*) as rows from asof.${table}`))?.rows ?? 0;
  const [filings, trades] = await Promise.all([count("filing"), count("trade")]);
  return { filings, trades };
}
async function newestFiling(transaction) {
  const row = await transaction.row(
    "select max(filed_on) as newest from asof.filing"
  );
  return row?.newest ?? void 0;
}
async function readFilings2(transaction, query) {
  const { ticker, ownerName, transactionCode, from, to, after, limit } = query;
  const conditions = [
    ...from === void 0 ? [] : ["f.filed_on >= @from"],
    ...to === void 0 ? [] : ["f.filed_on <= @to"],
    ...ticker === void 0 ? [] : [
      "(f.issuer_cik, f.filing_id) in (select issuer_cik, filing_id from asof.symbol where symbol = @ticker)"
    ],
    // There is one name a line, so a text with a line end is a part of no name.
    ...ownerName === void 0 ? [] : ["strpos(f.owner_names, @ownerName) > 0 and strpos(@ownerName, chr(10)) = 0"],
    ...transactionCode === void 0 ? [] : ["t.transaction_code = @transactionCode"],
    ...after === void 0 ? [] : [
      `f.filed_on <= @afterDay and (f.filed_on < @afterDay or f.filing_id > @afterFiling
             or (f.filing_id = @afterFiling and t.row > @afterRow))`
    ]
  ];
  const sql = `${both2}${conditions.length > 0 ? ` where ${conditions.join(" and ")}` : ""}
    order by f.filed_on desc, f.filing_id, t.row limit @limit`;
  const rows = await transaction.rows(sql, {
    limit,
    from,
    to,
    ticker: ticker?.toUpperCase(),
    ownerName: ownerName?.toLowerCase(),
    transactionCode,
    afterDay: after?.filedOn,
    afterFiling: after?.filingId,
    afterRow: after?.row
  });
  return rows.map(filingReader2());
}
async function* readPurchases2(transaction, { issuerCik, ticker, asOf }) {
  const conditions = [
    `f.purchases = 1 and t.is_derivative = 0 and (t.transaction_code = 'P' or f.form_type like '%/A')`,
    ...asOf === void 0 ? [] : ["f.filed_on <= @asOf"],
    ...issuerCik === void 0 ? [] : ["f.issuer_cik = @issuerCik"],
    ...ticker === void 0 ? [] : ["f.issuer_cik in (select issuer_cik from asof.symbol where symbol = @ticker)"]
  ];
  const sql = `${both2} where ${conditions.join(" and ")} order by f.issuer_cik, f.filing_id, t.row`;
  const read = filingReader2();
  let own = [];
  for await (const rows of transaction.batches(sql, {
    asOf,
    issuerCik,
    ticker: ticker?.toUpperCase()
  }))
    for (const row of rows) {
      const filing = read(row);
      if (own.length > 0 && own[0]?.issuerCik !== filing.issuerCik) {
        yield own;
        own = [];
      }
      own.push(filing);
    }
  if (own.length > 0) yield own;
}
function filingReader2() {
  let header;
  return (row) => {
    if (header === void 0 || header.filingId !== row.filing_id) header = headerIn(row);
    return filingOf(header, tradeIn(row));
  };
}
var otherTypes, columns5, both2;
var init_filings2 = __esm({
  "src/store/postgres/filings.ts"() {
    "use strict";
    init_filing();
    init_filing_record();
    otherTypes = {
      filed_on: "date",
      is_10b5_1: "integer",
      purchases: "integer",
      row: "integer",
      is_derivative: "integer"
    };
    columns5 = [...tradeColumns.map((name) => `t.${name}`), ...headerColumns.map((name) => `f.${name}`)];
    both2 = `select ${columns5.join()} from asof.filing f
  join asof.trade t on t.issuer_cik = f.issuer_cik and t.filing_id = f.filing_id`;
  }
});

// src/store/postgres/following.ts
async function readFollowed2(transaction) {
  const rows = await transaction.rows(
    `select source, name, since, bookmark, up_to as "upTo", last_run as "lastRun", left_undone as left
     from asof.followed order by source, name`
  );
  return rows.map(followedOf);
}
async function writeFollowed2(transaction, record) {
  await transaction.run(
    `insert into asof.followed as f (source, name, since, bookmark, up_to, last_run, left_undone)
     values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
     on conflict (source, name) do update
       set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
         left_undone = excluded.left_undone`,
    record
  );
}
async function removeFollowed2(transaction, source2, name) {
  const removed = await transaction.run("delete from asof.followed where source = @source and name = @name", {
    source: source2,
    name
  });
  return removed > 0;
}
function readDescriptionChanges2(transaction, seriesId) {
  return transaction.rows(
    `select series as "seriesId", changed_on as "changedOn", field, before, after
     from asof.description_change where series = @seriesId order by changed_on, field`,
    { seriesId }
  );
}
async function writeDescriptionChange2(transaction, change) {
  await transaction.run(
    `insert into asof.description_change (series, changed_on, field, before, after)
     values (@seriesId, @changedOn, @field, @before, @after)
     on conflict (series, changed_on, field) do update set after = excluded.after`,
    change
  );
}
function readImports(transaction) {
  return transaction.rows(
    `select imported_at as "importedAt", file, kind, sha256, series, statements_new as "statementsNew",
       statements_known as "statementsKnown", withdrawn,
       outdated and not exists (select 1 from asof.import as again where again.id > import.id
         and again.sha256 = import.sha256 and not again.outdated) as outdated
     from asof.import as import order by id`
  );
}
async function writeImport(transaction, record) {
  await transaction.run(
    `insert into asof.import (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn)
     values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn)`,
    record
  );
}
var init_following2 = __esm({
  "src/store/postgres/following.ts"() {
    "use strict";
    init_followed();
  }
});

// src/store/postgres/series.ts
import { randomUUID } from "node:crypto";
function readSeries2(transaction, id) {
  return transaction.row(`select ${columns6} from asof.series where id = @id and first_vintage is not null`, {
    id
  });
}
async function searchSeries2(transaction, { text, after = "", limit }) {
  const rows = await transaction.rows(
    `select ${columns6} from asof.series
     where first_vintage is not null and id > @after and strpos(id, @text) > 0 order by id limit @limit`,
    { after, text: text.toUpperCase(), limit }
  );
  return rows.map(seriesOf);
}
async function readDates2(transaction, { seriesId, from, to, before, limit }) {
  const rows = await transaction.rows(
    `select distinct date from asof.fact
     where series = @seriesId and date >= @from and date <= @to and date < @before
     order by date desc limit @limit`,
    {
      seriesId,
      from: from ?? "-infinity",
      to: to ?? "infinity",
      before: before ?? "infinity",
      limit
    }
  );
  return rows.map(({ date: date4 }) => date4);
}
async function readStarts(transaction, ids) {
  const started = transaction.rows(
    `select id, title, units, frequency, seasonal_adjustment as "seasonalAdjustment", source,
       stated_vintage_kind as "vintageKind", stated_covered_to as "coveredTo",
       implied_frequency as "impliedFrequency", implied_source as "impliedSource",
       first_vintage as "firstVintage", normalised_by as "normalisedBy", covered_to as coverage
     from asof.series where id = any(@ids::text[])`,
    { ids }
  );
  const vintages = transaction.rows(
    `select series as id, max(as_of_date) as newest from asof.vintage
     where series = any(@ids::text[]) group by series`,
    { ids }
  );
  const [rows, newest] = await Promise.all([started, vintages]);
  const newestVintages = new Map(newest.map(({ id, newest: newest2 }) => [id, newest2]));
  return new Map(
    rows.map(({ id, normalisedBy, coverage, ...row }) => [
      id,
      {
        record: recordOf(id, row),
        normalisedBy,
        coveredTo: coverage ?? "",
        newestVintage: newestVintages.get(id) ?? ""
      }
    ])
  );
}
function addSeries(transaction, id) {
  return transaction.write("insert into asof.series (id) values (@id) on conflict (id) do nothing", { id });
}
function writeRecord2(transaction, id, record) {
  return transaction.write(
    `update asof.series set title = @title, units = @units, frequency = @frequency,
      seasonal_adjustment = @seasonalAdjustment, source = @source, stated_vintage_kind = @vintageKind,
      stated_covered_to = @coveredTo, implied_frequency = @impliedFrequency, implied_source = @impliedSource
    where id = @id`,
    { id, ...recordCells(record) }
  );
}
function writeFrequency(transaction, id, frequency) {
  return transaction.write("update asof.series set normalised_by = @frequency where id = @id", {
    id,
    frequency
  });
}
function summarise(transaction, id, { spacing, coveredTo: coveredTo2, vintageKind }) {
  return transaction.write(
    `update asof.series set spacing_frequency = @spacing, vintage_kind = @vintageKind,
       observation_count = facts.observed, date_count = facts.dates, fact_count = facts.rows,
       first_vintage = vintages.first, last_vintage = vintages.last,
       covered_to = greatest(@coveredTo::date, vintages.last),
       version = version + 1, state = @state
     from (
       select count(*) as rows, count(distinct date) as dates,
         count(*) filter (where value is not null and is_last) as observed
       from (
         select date, value, lead(as_of_date) over (partition by date order by as_of_date) is null as is_last
         from asof.fact where series = @id
       ) as each
     ) as facts, (
       select min(as_of_date) as first, max(as_of_date) as last from asof.vintage where series = @id
     ) as vintages
     where id = @id`,
    { id, spacing, vintageKind, coveredTo: coveredTo2 === "" ? null : coveredTo2, state: randomUUID() }
  );
}
var columns6;
var init_series3 = __esm({
  "src/store/postgres/series.ts"() {
    "use strict";
    init_series_record();
    columns6 = `id, coalesce(title, id) as title, coalesce(units, '') as units,
  coalesce(frequency, implied_frequency, spacing_frequency) as frequency,
  coalesce(seasonal_adjustment, '') as "seasonalAdjustment",
  case when strpos(implied_source, '; ') > 0 then implied_source else coalesce(source, implied_source, '') end as source,
  observation_count as "observationCount", date_count as "dateCount", fact_count as "factCount",
  first_vintage as "firstVintage", last_vintage as "lastVintage", covered_to as "coveredTo",
  vintage_kind as "vintageKind", stated_vintage_kind as "statedKind", version`;
  }
});

// src/store/postgres/vintages.ts
function readVintages2(transaction, id) {
  return transaction.rows(
    'select as_of_date as "asOf", dates, complete, kind from asof.vintage where series = @id order by as_of_date',
    { id }
  );
}
async function readDateSets(transaction, id) {
  const rows = await transaction.rows(
    "select distinct dates from asof.vintage where series = @id",
    { id }
  );
  return rows.map(({ dates }) => dates);
}
async function readKinds(transaction, id, asOf = "infinity") {
  const rows = await transaction.rows(
    "select distinct kind from asof.vintage where series = @id and as_of_date <= @asOf",
    { id, asOf }
  );
  return rows.map(({ kind }) => kind);
}
async function readCompleteVintages2(transaction, seriesId) {
  const rows = await transaction.rows(
    `select v.as_of_date as "asOf", v.kind, s.stated_vintage_kind as "statedKind"
     from asof.vintage v join asof.series s on s.id = v.series
     where v.complete and v.series = @seriesId and s.id = @seriesId order by v.as_of_date`,
    { seriesId }
  );
  return rows.map(({ asOf, kind, statedKind }) => ({ asOf, kind: kindOf(kind, statedKind ?? void 0) }));
}
async function readVintagesAround(transaction, { seriesId, asOf, firstRelease = false }) {
  const values = { id: seriesId, asOf: asOf ?? "infinity" };
  const around = transaction.rows(
    `(select as_of_date as "asOf", kind, false as "isNext" from asof.vintage
      where series = @id and as_of_date <= @asOf order by as_of_date desc limit 1)
     union all
     (select as_of_date, kind, true from asof.vintage
      where series = @id and as_of_date > @asOf order by as_of_date limit 1)`,
    values
  );
  const kinds3 = firstRelease ? readKinds(transaction, seriesId, asOf) : [];
  const [found, kept] = await Promise.all([around, kinds3]);
  return { around: found, kinds: kept };
}
function vintageOnDay({ around, kinds: kinds3 }, statedKind, firstRelease) {
  const kindIn = (kind) => kindOf(kind, statedKind ?? void 0);
  const one = (next) => {
    const found = around.find(({ isNext }) => isNext === next);
    return found && { asOf: found.asOf, kind: kindIn(found.kind) };
  };
  return {
    newest: one(false),
    next: one(true),
    ...firstRelease && { kinds: kindsText(kinds3.map(kindIn)) }
  };
}
function readVintageCounts2(transaction, { seriesId, from, to, before, limit }) {
  return transaction.rows(vintagePage2, {
    id: seriesId,
    from: from ?? "-infinity",
    to: to ?? "infinity",
    before: before ?? "infinity",
    limit
  });
}
var vintagePage2;
var init_vintages = __esm({
  "src/store/postgres/vintages.ts"() {
    "use strict";
    init_series();
    vintagePage2 = `with page as (
    select as_of_date, kind from asof.vintage
    where series = @id and as_of_date >= @from and as_of_date <= @to and as_of_date < @before
    order by as_of_date desc limit @limit
  ), change as (
    select as_of_date, value, lag(value) over (partition by date order by as_of_date) as before
    from asof.fact where series = @id and as_of_date <= (select max(as_of_date) from page)
  ), counted as (
    select as_of_date,
      count(*) filter (where value is not null and before is null) as added,
      count(*) filter (where value is not null and before is not null) as revised,
      count(*) filter (where value is null) as withdrawn
    from change group by as_of_date
  )
  select as_of_date as "asOfDate", coalesce(added, 0) as added, coalesce(revised, 0) as revised,
    coalesce(withdrawn, 0) as withdrawn, kind
  from page left join counted using (as_of_date) order by as_of_date desc`;
  }
});

// src/store/postgres/statements.ts
function readObservations2(transaction, { seriesId, asOf, firstRelease, from, to, before, limit }) {
  return transaction.rows(firstRelease === true ? firstReleases2 : newestFirst, {
    id: seriesId,
    asOf: asOf ?? "infinity",
    from: from ?? "-infinity",
    to: to ?? "infinity",
    before: before ?? "infinity",
    limit
  });
}
async function readChanges2(transaction, id, from, to) {
  const rows = await transaction.rows(
    `select date, as_of_date as "asOf", value from asof.fact where series = @id and date between @from and @to
     union all
     select date, as_of_date, value from asof.respelling where series = @id and date between @from and @to
     order by 1, 2`,
    { id, from, to }
  );
  return changesByDate(rows.map(({ date: date4, asOf, value }) => [date4, asOf, value]));
}
async function readLatestChanges2(transaction, id, from, to) {
  const latest = (table) => `(select distinct on (date) date, as_of_date, value from asof.${table}
      where series = @id and date between @from and @to order by date, as_of_date desc)`;
  const rows = await transaction.rows(
    `select distinct on (date) date, as_of_date as "asOf", value
     from (${latest("fact")} union all ${latest("respelling")}) as each order by date, as_of_date desc`,
    { id, from, to }
  );
  return changesByDate(rows.map(({ date: date4, asOf, value }) => [date4, asOf, value]));
}
function daysSince(day) {
  return Date.parse(day) / 864e5;
}
async function applyPlan2(transaction, id, plan) {
  for (const table of ["fact", "respelling"]) {
    for (const part of partsOf(plan.removed.filter(({ kind }) => kind === table)))
      await transaction.write(
        `delete from asof.${table} where series = @id and date = any(@dates::date[])
           and (date - date '${epoch}') * 1000000::bigint + (as_of_date - date '${epoch}') = any(@places::bigint[])`,
        {
          id,
          dates: part.map(({ date: date4 }) => date4),
          places: part.map(({ date: date4, asOf }) => daysSince(date4) * 1e6 + daysSince(asOf))
        }
      );
    for (const part of partsOf(plan.inserted.filter(({ kind }) => kind === table)))
      await transaction.write(
        `insert into asof.${table} (series, date, as_of_date, value)
         select @id, * from unnest(@dates::date[], @asOfs::date[], @values::text[])`,
        { id, ...columnsOf(part) }
      );
  }
  for (const part of partsOf(plan.vintages))
    await transaction.write(
      `insert into asof.vintage (series, as_of_date, dates, complete, kind)
       select @id, * from unnest(@asOfs::date[], @dates::text[], @complete::boolean[], @kinds::text[])
       on conflict (series, as_of_date) do update
         set dates = excluded.dates, complete = excluded.complete, kind = excluded.kind`,
      {
        id,
        asOfs: part.map(({ asOf }) => asOf),
        dates: part.map(({ dates }) => dates),
        complete: part.map(({ complete }) => complete),
        kinds: part.map(({ kind }) => kind)
      }
    );
}
function* partsOf(rows) {
  for (let at = 0; at < rows.length; at += rowsAtOnce) yield rows.slice(at, at + rowsAtOnce);
}
function columnsOf(changes) {
  return {
    dates: changes.map(({ date: date4 }) => date4),
    asOfs: changes.map(({ asOf }) => asOf),
    values: changes.map(({ value }) => value)
  };
}
async function* readStatements2(transaction, seriesId) {
  const series = await transaction.row(
    'select normalised_by as "normalisedBy", stated_vintage_kind as "statedKind" from asof.series where id = @seriesId',
    { seriesId }
  );
  if (series === void 0) return;
  const vintages = await readVintages2(transaction, seriesId);
  yield* statementsOf(
    { seriesId, ...series, vintages },
    (from, to) => readChanges2(transaction, seriesId, from, to)
  );
}
function readRevisions2(transaction, seriesId, date4) {
  return transaction.rows(
    `select f.as_of_date as "asOfDate", f.value, v.kind
     from asof.fact f join asof.vintage v on v.series = f.series and v.as_of_date = f.as_of_date
     where f.series = @seriesId and v.series = @seriesId and f.date = @date order by f.as_of_date`,
    { seriesId, date: date4 }
  );
}
async function readFirstDate2(transaction, id) {
  const row = await transaction.row(
    "select min(date) as first from asof.fact where series = @id",
    { id }
  );
  return row?.first ?? void 0;
}
var within2, newestFirst, firstReleases2, rowsAtOnce, epoch;
var init_statements3 = __esm({
  "src/store/postgres/statements.ts"() {
    "use strict";
    init_statements();
    init_vintages();
    within2 = "series = @id and date >= @from and date <= @to and date < @before and as_of_date <= @asOf";
    newestFirst = `select date, as_of_date as "asOfDate", value from (
    select distinct on (date) date, as_of_date, value from asof.fact
    where ${within2} order by date desc, as_of_date desc
  ) as newest
  where value is not null limit @limit`;
    firstReleases2 = `select distinct on (date) date, as_of_date as "asOfDate", value from asof.fact
  where ${within2} and value is not null
    and date > coalesce((select max(date) from asof.fact
      where series = @id and value is not null
        and as_of_date <= (select min(as_of_date) from asof.vintage where series = @id)), '-infinity')
  order by date desc, as_of_date limit @limit`;
    rowsAtOnce = 2e4;
    epoch = "1970-01-01";
  }
});

// src/store/postgres/view.ts
function withKinds(rows, { statedKind }) {
  return rows.map((row) => ({ ...row, kind: kindOf(row.kind, statedKind ?? void 0) }));
}
var PostgresView;
var init_view = __esm({
  "src/store/postgres/view.ts"() {
    "use strict";
    init_series();
    init_series_record();
    init_curves2();
    init_filings2();
    init_following2();
    init_series3();
    init_statements3();
    init_vintages();
    PostgresView = class {
      #stateOf;
      #transaction;
      constructor(transaction, stateOf) {
        this.#transaction = transaction;
        this.#stateOf = stateOf;
      }
      /** Ends the view; its methods fail from now on. */
      end() {
        this.#transaction = void 0;
      }
      async state(seriesId) {
        return this.#stateOf(this.#open(), seriesId);
      }
      async findSeries(id) {
        const series = await readSeries2(this.#open(), id);
        return series && seriesOf(series);
      }
      async searchSeries(query) {
        return searchSeries2(this.#open(), query);
      }
      async observations(query) {
        const transaction = this.#open();
        const [series, around, rows] = await Promise.all([
          readSeries2(transaction, query.seriesId),
          readVintagesAround(transaction, query),
          readObservations2(transaction, query)
        ]);
        if (series === void 0) return void 0;
        const vintage = vintageOnDay(around, series.statedKind, query.firstRelease === true);
        return { series: seriesOf(series), rows, vintage };
      }
      async dates(query) {
        const transaction = this.#open();
        const [series, rows] = await Promise.all([
          readSeries2(transaction, query.seriesId),
          readDates2(transaction, query)
        ]);
        return series && { series: seriesOf(series), rows };
      }
      async revisions(seriesId, date4) {
        const transaction = this.#open();
        const [series, rows] = await Promise.all([
          readSeries2(transaction, seriesId),
          readRevisions2(transaction, seriesId, date4)
        ]);
        return series && { series: seriesOf(series), rows: withKinds(rows, series) };
      }
      async vintages(query) {
        const transaction = this.#open();
        const [series, firstDate, rows] = await Promise.all([
          readSeries2(transaction, query.seriesId),
          readFirstDate2(transaction, query.seriesId),
          readVintageCounts2(transaction, query)
        ]);
        return series && { series: seriesOf(series), firstDate, rows: withKinds(rows, series) };
      }
      async curve(query) {
        return readCurve2(this.#open(), query);
      }
      async yields(query) {
        return readYields2(this.#open(), query);
      }
      async spread(query) {
        return readSpread2(this.#open(), query);
      }
      async rates() {
        return readRates2(this.#open());
      }
      async filings(query) {
        return readFilings2(this.#open(), query);
      }
      async acceptedFilings(accessionNumbers) {
        return readAcceptedFilings2(this.#open(), accessionNumbers);
      }
      async symbols() {
        return readSymbols(this.#open());
      }
      async filingCounts() {
        return countFilings2(this.#open());
      }
      async coveredTo(what) {
        return what === "filings" ? newestFiling(this.#open()) : newestCurve(this.#open(), what);
      }
      purchases(query) {
        return this.#stream((transaction) => readPurchases2(transaction, query));
      }
      statements(seriesId) {
        return this.#stream((transaction) => readStatements2(transaction, seriesId));
      }
      async completeVintages(seriesId) {
        return readCompleteVintages2(this.#open(), seriesId);
      }
      async imports() {
        return readImports(this.#open());
      }
      async followed() {
        return readFollowed2(this.#open());
      }
      async descriptionChanges(seriesId) {
        return readDescriptionChanges2(this.#open(), seriesId);
      }
      async *#stream(read) {
        for await (const batch of read(this.#open())) {
          yield batch;
          this.#open();
        }
      }
      #open() {
        if (this.#transaction === void 0) throw new Error("this view of the store has ended");
        return this.#transaction;
      }
    };
  }
});

// src/store/postgres/reader.ts
var reader_exports = {};
__export(reader_exports, {
  openPostgresStore: () => openPostgresStore,
  openPostgresStoreIfAny: () => openPostgresStoreIfAny
});
async function openPostgresStore(address) {
  const database = await Database.open(address);
  try {
    await database.inTransaction("read", (transaction) => checkFormat(transaction, database));
    return new PostgresStore(database, address);
  } catch (error) {
    await database.close();
    throw error;
  }
}
async function openPostgresStoreIfAny(address) {
  const database = await Database.open(address);
  try {
    const found = await database.inTransaction("read", async (transaction) => {
      const found2 = await hasStore(transaction, database.schema);
      if (found2) await checkFormat(transaction, database);
      return found2;
    });
    if (found) return new PostgresStore(database, address);
  } catch (error) {
    await database.close();
    throw error;
  }
  await database.close();
  return void 0;
}
var PostgresStore;
var init_reader = __esm({
  "src/store/postgres/reader.ts"() {
    "use strict";
    init_connection2();
    init_schema2();
    init_view();
    PostgresStore = class {
      address;
      #database;
      #reads = /* @__PURE__ */ new Set();
      #closed = false;
      #newest;
      constructor(database, address) {
        this.#database = database;
        this.address = address;
      }
      async read(work) {
        if (this.#closed) throw new Error(`the store ${this.#database.shown} is closed`);
        const reading = this.#read(work);
        this.#reads.add(reading);
        try {
          return await reading;
        } finally {
          this.#reads.delete(reading);
        }
      }
      async #read(work) {
        const transaction = await this.#database.begin("read");
        const view = new PostgresView(transaction, (of, seriesId) => this.#stateOf(of, seriesId));
        try {
          return await work(view);
        } finally {
          view.end();
          transaction.finish();
        }
      }
      /** Closes the connections once no read needs them. */
      async close() {
        this.#closed = true;
        await Promise.allSettled([...this.#reads]);
        await this.#database.close();
      }
      async #stateOf(transaction, seriesId) {
        const [whole, own] = await Promise.all([
          transaction.row(
            "select state as name, revision from asof.store"
          ),
          seriesId === void 0 ? void 0 : transaction.row(
            "select state as name from asof.series where id = @seriesId and first_vintage is not null",
            { seriesId }
          )
        ]);
        if (whole === void 0) throw new Error(`the store ${this.#database.shown} has no state`);
        if (own !== void 0) return { ...whole, ...own, sample: false };
        const known2 = this.#newest;
        if (known2?.name === whole.name) return known2;
        const state = { ...whole, sample: false };
        this.#newest = state;
        return state;
      }
    };
  }
});

// src/domain/insider/merge-filings.ts
function planFilings(held, filings, { replace }) {
  const drafts = new Map(held.map((filing) => [filing.header.filingId, new FilingDraft(filing)]));
  const conflicts = [];
  let [added, known2] = [0, 0];
  for (const given of filings) {
    const draft = drafts.get(given.filingId);
    if (draft === void 0) {
      drafts.set(given.filingId, new FilingDraft(void 0).put(given));
      added += 1;
      continue;
    }
    const trade = draft.tradeAt(given.row);
    const before = filingOf(draft.headerFor(given), trade ?? given);
    const fields = conflictingFields(before, given);
    if (fields.length > 0 && !replace) {
      conflicts.push({ held: before, given, fields });
      continue;
    }
    draft.put(combinedFiling({ ...before, ...only(given, fields) }, given));
    if (trade === void 0 || fields.length > 0) added += 1;
    else known2 += 1;
  }
  const put = [...drafts.values()].flatMap((draft) => draft.changes());
  return { added, known: known2, conflicts, put };
}
function only(given, fields) {
  return Object.fromEntries(fields.map((field) => [field, given[field]]));
}
function concernsClusters(filing) {
  if (filing.isDerivative || filing.formType.startsWith("3")) return false;
  return filing.transactionCode === "P" || isAmendment(filing);
}
function isSame2(one, other, fields) {
  return one !== void 0 && fields.every((field) => {
    const [a, b] = [one[field], other[field]];
    return a === b || typeof a === "object" && a !== null && JSON.stringify(a) === JSON.stringify(b);
  });
}
var FilingDraft, headerFields, tradeFields;
var init_merge_filings = __esm({
  "src/domain/insider/merge-filings.ts"() {
    "use strict";
    init_filing();
    FilingDraft = class {
      #header;
      #concernsClusters;
      #headerChanged = false;
      #trades;
      #changed = /* @__PURE__ */ new Map();
      constructor(held) {
        this.#header = held?.header;
        this.#concernsClusters = held?.concernsClusters === true;
        this.#trades = new Map(held?.trades.map((trade) => [trade.row, trade]));
      }
      tradeAt(row) {
        return this.#trades.get(row);
      }
      headerFor(filing) {
        return this.#header ?? filing;
      }
      put(filing) {
        const concerned = this.#concernsClusters || concernsClusters(filing);
        if (concerned !== this.#concernsClusters || !isSame2(this.#header, filing, headerFields)) {
          this.#header = filing;
          this.#concernsClusters = concerned;
          this.#headerChanged = true;
        }
        if (!isSame2(this.#trades.get(filing.row), filing, tradeFields)) {
          this.#trades.set(filing.row, filing);
          this.#changed.set(filing.row, filing);
        }
        return this;
      }
      /** What a store has to write of the filing; nothing if it is unchanged. */
      changes() {
        if (this.#header === void 0 || !(this.#headerChanged || this.#changed.size > 0)) return [];
        const trades = [...this.#changed.values()];
        return [{ header: this.#header, concernsClusters: this.#concernsClusters, trades }];
      }
    };
    headerFields = [
      "accessionNumber",
      "formType",
      "filedOn",
      "acceptedAt",
      "originalFiledOn",
      "periodOfReport",
      "issuerCik",
      "issuerName",
      "ticker",
      "owners",
      "is10b51"
    ];
    tradeFields = [
      "isDerivative",
      "securityTitle",
      "transactionDate",
      "transactionCode",
      "acquiredDisposed",
      "shares",
      "pricePerShare",
      "sharesOwnedAfter",
      "ownership"
    ];
  }
});

// src/domain/series/merge-plan.ts
function planMerge(held, statements, options) {
  const draft = new SeriesDraft(held.frequency, held);
  draft.add(statements, options);
  return draft.plan(held);
}
function planCompletion(held, vintages, options) {
  const draft = new SeriesDraft(held.frequency, held);
  for (const vintage of vintages) draft.complete(vintage, options);
  return draft.plan(held);
}
function planMove(held, frequency) {
  const draft = new SeriesDraft(frequency, { vintages: [], changes: /* @__PURE__ */ new Map() });
  const vintages = held.vintages.map(({ asOf, dates, complete, kind }) => ({
    asOf,
    complete,
    kind,
    dates: parseDateSet(dates).days()
  }));
  const statements = vintages.flatMap(
    ({ asOf, dates, kind }) => dates.map((date4) => {
      const changes = held.changes.get(periodStart(date4, held.frequency)) ?? [];
      return { date: date4, asOf, value: knownOn(changes, asOf), kind };
    })
  );
  draft.add(statements, { replace: false });
  for (const { asOf, dates, complete, kind } of vintages) {
    if (complete) draft.complete({ asOf, kind, dates: new Set(dates) }, { replace: false });
  }
  return draft.plan(held);
}
function kindsByDay(statements) {
  const kinds3 = /* @__PURE__ */ new Map();
  for (const { asOf, kind } of statements)
    if (kind !== void 0) kinds3.set(asOf, betterKnown(kinds3.get(asOf) ?? kind, kind));
  return kinds3;
}
function groupByDate(statements, frequency) {
  const starts = /* @__PURE__ */ new Map();
  const byDate = /* @__PURE__ */ new Map();
  for (const statement of statements) {
    let start = starts.get(statement.date);
    if (start === void 0) {
      start = periodStart(statement.date, frequency);
      starts.set(statement.date, start);
    }
    const own = byDate.get(start);
    if (own === void 0) byDate.set(start, [statement]);
    else own.push(statement);
  }
  for (const own of byDate.values()) {
    const inOrder = own.every(({ asOf }, i) => i === 0 || (own[i - 1]?.asOf ?? "") <= asOf);
    if (!inOrder) own.sort((a, b) => a.asOf < b.asOf ? -1 : a.asOf > b.asOf ? 1 : 0);
  }
  return byDate;
}
var SeriesDraft;
var init_merge_plan = __esm({
  "src/domain/series/merge-plan.ts"() {
    "use strict";
    init_date();
    init_date_set();
    init_revision_history();
    init_series();
    SeriesDraft = class {
      #frequency;
      #vintages;
      #held;
      /** The changes of the dates that have new statements. */
      #changes = /* @__PURE__ */ new Map();
      #sets = /* @__PURE__ */ new Map();
      #conflicts = [];
      #added = 0;
      #known = 0;
      #withdrawn = 0;
      constructor(frequency, { vintages, changes }) {
        this.#frequency = frequency;
        this.#vintages = new Map(vintages.map((vintage) => [vintage.asOf, vintage]));
        this.#held = changes;
      }
      add(statements, { replace, kind: usual = "" }) {
        const kinds3 = kindsByDay(statements);
        for (const [asOf, dates] of this.#place(statements, replace)) {
          const held = this.#vintages.get(asOf);
          const all = held === void 0 ? dates : [...parseDateSet(held.dates).days(), ...dates];
          const given = kinds3.get(asOf) ?? usual;
          const kind = held === void 0 ? given : betterKnown(held.kind, given);
          this.#vintages.set(asOf, { asOf, complete: held?.complete === true, dates: formatDateSet(all), kind });
        }
      }
      complete({ asOf, dates, kind }, { replace, kind: usual = "" }) {
        const given = kind ?? usual;
        const held = this.#vintages.get(asOf) ?? { asOf, dates: "", complete: false, kind: given };
        const published = dates ?? parseDateSet(held.dates).days();
        const listed = new Set(Array.from(published, (date4) => periodStart(date4, this.#frequency)));
        const missing2 = this.#knownDates().filter((date4) => !listed.has(date4));
        this.#place(
          missing2.map((date4) => ({ date: date4, asOf, value: null })),
          replace
        );
        this.#vintages.set(asOf, { ...held, complete: true, kind: betterKnown(held.kind, given) });
      }
      plan(before) {
        const removed = [];
        const inserted = [];
        const heldDates = this.#held === before.changes ? [] : before.changes.keys();
        for (const date4 of /* @__PURE__ */ new Set([...heldDates, ...this.#changes.keys()]))
          addDifferences(date4, before.changes.get(date4) ?? [], this.#changes.get(date4) ?? [], removed, inserted);
        const held = new Map(before.vintages.map((vintage) => [vintage.asOf, vintage]));
        const vintages = [...this.#vintages.values()].filter(({ asOf, dates, complete, kind }) => {
          const one = held.get(asOf);
          return one?.dates !== dates || one.complete !== complete || one.kind !== kind;
        });
        const counts2 = { added: this.#added, known: this.#known, withdrawn: this.#withdrawn };
        return { ...counts2, conflicts: this.#conflicts, removed, inserted, vintages };
      }
      /** Places statements in the histories of their dates; gives the dates of each day as published. */
      #place(statements, replace) {
        const published = /* @__PURE__ */ new Map();
        const byDate = groupByDate(statements, this.#frequency);
        const earlier2 = this.#statedEarlier();
        for (const date4 of [...byDate.keys()].sort()) {
          const changes = this.#changesOf(date4);
          const history = { changes, statedAt: earlier2.about(date4) };
          for (const { date: day, asOf, value } of byDate.get(date4) ?? []) {
            const takesBack = value === null && knownOn(changes, asOf) !== null;
            const placement = place(history, asOf, value, replace);
            if (placement === "conflict")
              this.#conflicts.push({ date: date4, asOf, held: knownOn(changes, asOf), given: value });
            else if (placement === "known") this.#known += 1;
            else {
              this.#added += 1;
              if (takesBack) this.#withdrawn += 1;
            }
            earlier2.placed(asOf);
            const dates = published.get(asOf);
            if (dates === void 0) published.set(asOf, [day]);
            else dates.push(day);
          }
        }
        return published;
      }
      #changesOf(date4) {
        const known2 = this.#changes.get(date4);
        if (known2 !== void 0) return known2;
        const changes = [...this.#held.get(date4) ?? []];
        this.#changes.set(date4, changes);
        return changes;
      }
      #knownDates() {
        const untouched = [...this.#held.keys()].filter((date4) => !this.#changes.has(date4));
        const touched = [...this.#changes].flatMap(([date4, changes]) => changes.length > 0 ? [date4] : []);
        return [...untouched, ...touched];
      }
      /** The days with earlier statements about a date: those of the vintages, and the day of the last statement placed. */
      #statedEarlier() {
        const vintages = [...this.#vintages.values()].sort((a, b) => a.asOf < b.asOf ? -1 : 1);
        const newest = vintages.at(-1)?.asOf ?? "";
        const speaks = ({ complete, dates }, date4) => complete || this.#setOf(dates).has(date4);
        let last;
        return {
          placed(asOf) {
            last = asOf;
          },
          about: (date4) => {
            last = void 0;
            let days;
            return {
              has: (asOf) => {
                if (asOf === last) return true;
                const vintage = this.#vintages.get(asOf);
                return vintage !== void 0 && speaks(vintage, date4);
              },
              next(asOf) {
                if (newest <= asOf) return void 0;
                days ??= vintages.filter((vintage) => speaks(vintage, date4)).map((vintage) => vintage.asOf);
                return days.find((day) => day > asOf);
              }
            };
          }
        };
      }
      #setOf(text) {
        const known2 = this.#sets.get(text) ?? parseDateSet(text, this.#frequency);
        this.#sets.set(text, known2);
        return known2;
      }
    };
  }
});

// src/store/series-writer.ts
import { isDeepStrictEqual } from "node:util";
var firstDay, lastDay, SeriesWriter;
var init_series_writer = __esm({
  "src/store/series-writer.ts"() {
    "use strict";
    init_date();
    init_date_set();
    init_merge_plan();
    init_series();
    init_series_record();
    firstDay = "1600-01-01";
    lastDay = "2999-12-31";
    SeriesWriter = class _SeriesWriter {
      /** The conflicts found when dates moved to their periods; a series can move more than once during an import. */
      conflicts = [];
      #rows;
      #normalisedBefore;
      #record;
      #normalisedBy;
      #coveredTo;
      #newest;
      #changed = false;
      constructor(rows, start) {
        this.#rows = rows;
        this.#record = start.record;
        this.#normalisedBefore = start.normalisedBy;
        this.#normalisedBy = start.normalisedBy;
        this.#coveredTo = start.coveredTo;
        this.#newest = start.newestVintage;
      }
      /** The writer of a series, which an engine makes if there is none. */
      static async begin(rows) {
        return new _SeriesWriter(rows, await rows.begin());
      }
      async putRecord({ stated: stated2, implied }) {
        const next = { ...this.#record, stated: stated2, implied };
        if (isDeepStrictEqual(recordCells(next), recordCells(this.#record))) return;
        this.#record = next;
        this.#changed = true;
        await this.#rows.putRecord(next);
      }
      async merge(statements, options) {
        await this.#moveTo(this.#frequencyToMerge(statements));
        let [from, to, first] = [lastDay, firstDay, lastDay];
        for (const { date: date4, asOf } of statements) {
          if (date4 < from) from = date4;
          if (date4 > to) to = date4;
          if (asOf < first) first = asOf;
        }
        const start = periodStart(from, this.#normalisedBy);
        const held = first > this.#newest ? { frequency: this.#normalisedBy, vintages: [], changes: await this.#latestChanges(start, to) } : await this.#held(start, to);
        return this.#apply(planMerge(held, statements, options));
      }
      async complete(vintages, options) {
        await this.#moveTo(this.#frequencyToMerge([]));
        return this.#apply(planCompletion(await this.#held(), vintages, options));
      }
      cover(to) {
        if (to <= this.#coveredTo) return;
        this.#coveredTo = to;
        this.#changed = true;
      }
      /** Moves dates to their periods and updates the counts; false if the series has not changed. */
      async finish() {
        const stated2 = this.#statedFrequency();
        const days = stated2 === "" || stated2 === "A" ? await this.#publishedDates() : [];
        await this.#moveTo(normalisingFrequency(stated2, days));
        const changed = this.#changed || this.#normalisedBy !== this.#normalisedBefore;
        if (changed) {
          const kept = await this.#rows.kinds();
          const statedKind = this.#record.stated.vintageKind;
          await this.#rows.summarise({
            spacing: stated2 === "" ? frequencyOf(days) : "",
            coveredTo: this.#coveredTo,
            vintageKind: kindsText(kept.map((kind) => kindOf(kind, statedKind)))
          });
        }
        return changed;
      }
      /** Only a known frequency moves dates before the end: their spacing is known when all statements have come. */
      #statedFrequency() {
        const { stated: stated2, implied } = this.#record;
        return stated2.frequency ?? implied.frequency ?? "";
      }
      /** Whether an annual series has fiscal years is known at the end, so until then its dates stay as published. */
      #frequencyToMerge(statements) {
        const stated2 = this.#statedFrequency();
        if (stated2 !== "A") return stated2;
        const keepsYears = this.#normalisedBy === "A" && statements.every(({ date: date4 }) => marksCalendarYear(date4));
        return keepsYears ? "A" : "";
      }
      async #moveTo(frequency) {
        if (this.#normalisedBy === frequency) return;
        const plan = planMove(await this.#held(), frequency);
        await this.#rows.apply(plan);
        this.conflicts.push(...plan.conflicts);
        this.#normalisedBy = frequency;
        await this.#rows.setFrequency(frequency);
      }
      /** What the store holds of the series, with the changes between two dates. */
      async #held(from = firstDay, to = lastDay) {
        const frequency = this.#normalisedBy;
        if (this.#newest === "") return { frequency, vintages: [], changes: /* @__PURE__ */ new Map() };
        const [vintages, changes] = await Promise.all([this.#rows.vintages(), this.#rows.changes(from, to)]);
        return { frequency, vintages, changes };
      }
      async #latestChanges(from, to) {
        return this.#newest === "" ? /* @__PURE__ */ new Map() : this.#rows.latestChanges(from, to);
      }
      async #apply(plan) {
        const { added, known: known2, withdrawn, conflicts, removed, inserted, vintages } = plan;
        const changed = removed.length + inserted.length + vintages.length > 0;
        if (changed) {
          await this.#rows.apply(plan);
          this.#changed = true;
          for (const { asOf } of vintages) if (asOf > this.#newest) this.#newest = asOf;
        }
        return { added, known: known2, withdrawn, conflicts, changed };
      }
      async #publishedDates() {
        const texts2 = this.#newest === "" ? [] : await this.#rows.dateSets();
        return [...new Set(texts2.flatMap((text) => parseDateSet(text).days()))];
      }
    };
  }
});

// src/store/writer.ts
var TransactionWriter;
var init_writer = __esm({
  "src/store/writer.ts"() {
    "use strict";
    init_merge_filings();
    init_curve();
    init_series_writer();
    TransactionWriter = class {
      #transaction;
      #series = /* @__PURE__ */ new Map();
      #changed = false;
      constructor(transaction) {
        this.#transaction = transaction;
      }
      get address() {
        return this.#transaction.address;
      }
      get created() {
        return this.#transaction.created;
      }
      records(seriesIds) {
        return this.#transaction.records(seriesIds);
      }
      withStatements(seriesIds) {
        return this.#transaction.withStatements(seriesIds);
      }
      async putRecords(records) {
        for (const [id, record] of records) await (await this.#seriesOf(id)).putRecord(record);
      }
      async merge(seriesId, statements, options) {
        return (await this.#seriesOf(seriesId)).merge(statements, options);
      }
      async complete(seriesId, vintages, options) {
        return (await this.#seriesOf(seriesId)).complete(vintages, options);
      }
      async cover(coveredTo2) {
        for (const [id, day] of coveredTo2) (await this.#seriesOf(id)).cover(day);
      }
      async mergePoints(points, options) {
        const { put, ...counts2 } = planPoints(await this.#heldPoints(points), points, options);
        if (put.length > 0) await this.#transaction.putPoints(put);
        return this.#noted({ ...counts2, changed: put.length > 0 });
      }
      async mergeFilings(filings, options) {
        const held = await this.#transaction.filings(filings);
        const { put, ...counts2 } = planFilings([...held.values()], filings, options);
        if (put.length > 0) await this.#transaction.putFilings(put, held);
        return this.#noted({ ...counts2, changed: put.length > 0 });
      }
      recordImport(record) {
        return this.#transaction.addImport(record);
      }
      recordChange(change) {
        return this.#transaction.addChange(change);
      }
      follow(record) {
        return this.#transaction.putFollowed(record);
      }
      unfollow(source2, name) {
        return this.#transaction.removeFollowed(source2, name);
      }
      async finish(seriesIds) {
        const conflicts = /* @__PURE__ */ new Map();
        for (const id of seriesIds) {
          const series = await this.#seriesOf(id);
          if (await series.finish()) this.#changed = true;
          if (series.conflicts.length > 0) conflicts.set(id, series.conflicts);
          this.#series.delete(id);
        }
        return conflicts;
      }
      commit() {
        return this.#transaction.commit(this.#changed);
      }
      rollback() {
        return this.#transaction.rollback();
      }
      async #seriesOf(id) {
        const known2 = this.#series.get(id) ?? await SeriesWriter.begin(this.#transaction.series(id));
        this.#series.set(id, known2);
        return known2;
      }
      async #heldPoints(points) {
        const held = [];
        for (const curveType of new Set(points.map((point) => point.curveType))) {
          const own = points.filter((point) => point.curveType === curveType);
          const days = own.map(({ tradeDate }) => tradeDate).sort();
          const [from = "", to = ""] = [days[0], days.at(-1)];
          held.push(...await this.#transaction.points({ curveType, from, to }));
        }
        return held;
      }
      #noted(merged) {
        if (merged.changed) this.#changed = true;
        return merged;
      }
    };
  }
});

// src/platform/files.ts
import { mkdirSync, promises, statSync as statSync2 } from "node:fs";
import { basename as basename2, dirname as dirname2, join as join4 } from "node:path";
function makeFolder(path, mode) {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (isFolder(path)) return;
    const parent = dirname2(path);
    const parentIsMissing = error.code === "ENOENT" && parent !== path && !isFolder(parent);
    if (!parentIsMissing) throw error;
    makeFolder(parent, mode);
    makeFolder(path, mode);
  }
}
function isFolder(path) {
  return statSync2(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
var init_files = __esm({
  "src/platform/files.ts"() {
    "use strict";
  }
});

// src/store/sqlite/draft.ts
import {
  closeSync,
  existsSync as existsSync3,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync
} from "node:fs";
import { basename as basename3, dirname as dirname3, join as join5 } from "node:path";
function beginDraft(path) {
  makeFolder(dirname3(path));
  const prefix = `${basename3(path)}.new-`;
  for (const name of readdirSync(dirname3(path))) {
    const [, pid] = name.startsWith(prefix) ? /^(\d+)(?:-\w+)?$/.exec(name.slice(prefix.length)) ?? [] : [];
    if (pid !== void 0 && !isRunning(Number(pid))) rmSync(join5(dirname3(path), name), { force: true });
  }
  const draft = join5(dirname3(path), `${prefix}${process.pid}`);
  removeDraft(draft);
  return draft;
}
function isRunning(pid) {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== "ESRCH";
  }
}
function publishDraft(draft, path) {
  try {
    flush(draft);
    if (!link(draft, path)) renameUnlessTaken(draft, path);
  } catch (cause) {
    if (cause.code !== "EEXIST") throw cause;
    throw new Problem("local-io", `another import made the store ${path} meanwhile`, {
      hints: ["run this import again"],
      cause
    });
  } finally {
    removeDraft(draft);
  }
}
function link(draft, path) {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS)$/.test(error.code ?? "")) return false;
    throw error;
  }
}
function renameUnlessTaken(draft, path) {
  if (existsSync3(path)) throw Object.assign(new Error(`${path} exists`), { code: "EEXIST" });
  renameSync(draft, path);
}
function flush(path) {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
function removeDraft(draft) {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(draft + suffix, { force: true });
}
var init_draft = __esm({
  "src/store/sqlite/draft.ts"() {
    "use strict";
    init_problem();
    init_files();
  }
});

// src/store/sqlite/series-rows.ts
var SqliteSeriesRows;
var init_series_rows = __esm({
  "src/store/sqlite/series-rows.ts"() {
    "use strict";
    init_connection();
    init_series2();
    init_statements2();
    SqliteSeriesRows = class {
      #connection;
      #id;
      #path;
      #key = 0;
      constructor(connection, id, path) {
        this.#connection = connection;
        this.#id = id;
        this.#path = path;
      }
      begin() {
        return this.#use((connection) => {
          connection.run("insert into series (id) values (?) on conflict do nothing", this.#id);
          const row = connection.objects(
            `select key, normalised_by as normalisedBy, coalesce(covered_to, '') as coveredTo from series where id = ?`
          ).get(this.#id);
          const record = readRecord(connection, this.#id);
          if (row === void 0 || record === void 0)
            throw new Error(`the series ${this.#id} was not written`);
          const { key, ...state } = row;
          this.#key = key;
          const newest = connection.column("select max(as_of_date) from vintage where series = ?").get(key);
          return { ...state, record, newestVintage: newest ?? "" };
        });
      }
      putRecord(record) {
        return this.#use((connection) => writeRecord(connection, this.#key, record));
      }
      setFrequency(frequency) {
        return this.#use((connection) => {
          connection.run("update series set normalised_by = ? where key = ?", frequency, this.#key);
        });
      }
      vintages() {
        return this.#use((connection) => readVintages(connection, this.#key));
      }
      changes(from, to) {
        return this.#use((connection) => readChanges(connection, this.#key, from, to));
      }
      latestChanges(from, to) {
        return this.#use((connection) => readLatestChanges(connection, this.#key, from, to));
      }
      dateSets() {
        return this.#use(
          (connection) => connection.column("select distinct dates from vintage where series = ?").all(this.#key)
        );
      }
      kinds() {
        return this.#use(
          (connection) => connection.column("select distinct kind from vintage where series = ?").all(this.#key)
        );
      }
      apply(plan) {
        return this.#use((connection) => applyPlan(connection, this.#key, plan));
      }
      summarise({ spacing, coveredTo: coveredTo2, vintageKind }) {
        return this.#use((connection) => {
          connection.run(
            `update series set
          spacing_frequency = @spacing,
          observation_count = (select count(*) from
            (select value, max(as_of_date) from fact where series = @key group by date) where value is not null),
          date_count = (select count(distinct date) from fact where series = @key),
          fact_count = (select count(*) from fact where series = @key),
          first_vintage = (select min(as_of_date) from vintage where series = @key),
          last_vintage = (select max(as_of_date) from vintage where series = @key),
          covered_to = max(@coveredTo, coalesce((select max(as_of_date) from vintage where series = @key), '')),
          vintage_kind = @vintageKind,
          version = version + 1
        where key = @key`,
            { key: this.#key, spacing, coveredTo: coveredTo2, vintageKind }
          );
        });
      }
      async #use(work) {
        try {
          return work(this.#connection);
        } catch (error) {
          throw asProblem(this.#path, error);
        }
      }
    };
  }
});

// src/store/sqlite/writer.ts
var writer_exports = {};
__export(writer_exports, {
  openSqliteWriter: () => openSqliteWriter
});
import { copyFileSync, existsSync as existsSync4 } from "node:fs";
async function openSqliteWriter(path, copyOf) {
  if (!existsSync4(path)) return createStore(path, copyOf);
  if (copyOf === void 0) return openExisting(path);
  throw new Problem(
    "bad-input",
    `the store ${path} exists already: only a new store can begin as a copy of the sample`,
    { hints: ["leave out --with-sample", "name a new file with --store"] }
  );
}
function openExisting(path) {
  const connection = connect(path, false);
  const abandon = () => {
    if (connection.inTransaction) connection.exec("rollback");
    connection.close();
  };
  try {
    if (connection.pragma("journal_mode") !== "wal") connection.pragma("cache_spill = off");
    connection.exec("begin immediate");
    migrate(connection, path);
    return new TransactionWriter(
      new SqliteTransaction(connection, { path, created: false, publish: () => connection.close(), abandon })
    );
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}
function createStore(path, copyOf) {
  let draft;
  let opened;
  const abandon = () => {
    opened?.close();
    if (draft !== void 0) removeDraft(draft);
  };
  try {
    draft = beginDraft(path);
    if (copyOf !== void 0) copyFileSync(copyOf, draft);
    const connection = new Connection(openDatabase(draft));
    opened = connection;
    connection.pragma("journal_mode = off");
    connection.pragma("synchronous = off");
    connection.pragma("foreign_keys = on");
    if (copyOf === void 0) createSchema(connection);
    connection.exec("update store set sample = 0");
    connection.exec("begin immediate");
    const made = draft;
    const publish = () => {
      connection.pragma("synchronous = full");
      connection.pragma("journal_mode = wal");
      connection.close();
      publishDraft(made, path);
    };
    return new TransactionWriter(
      new SqliteTransaction(connection, { path, created: true, publish, abandon })
    );
  } catch (error) {
    abandon();
    throw asProblem(path, error);
  }
}
var SqliteTransaction;
var init_writer2 = __esm({
  "src/store/sqlite/writer.ts"() {
    "use strict";
    init_problem();
    init_writer();
    init_connection();
    init_curves();
    init_draft();
    init_filings();
    init_following();
    init_schema();
    init_series2();
    init_series_rows();
    SqliteTransaction = class {
      address;
      created;
      #connection;
      #ending;
      constructor(connection, ending) {
        this.#connection = connection;
        this.#ending = ending;
        this.address = ending.path;
        this.created = ending.created;
      }
      series(id) {
        return new SqliteSeriesRows(this.#connection, id, this.address);
      }
      records(seriesIds) {
        return this.#use((connection) => {
          const records = /* @__PURE__ */ new Map();
          for (const id of seriesIds) {
            const record = readRecord(connection, id);
            if (record !== void 0) records.set(id, record);
          }
          return records;
        });
      }
      async withStatements(seriesIds) {
        const records = await this.records(seriesIds);
        return new Set([...records].flatMap(([id, { hadStatements }]) => hadStatements ? [id] : []));
      }
      points(range) {
        return this.#use((connection) => readPoints(connection, range));
      }
      putPoints(points) {
        return this.#use((connection) => writePoints(connection, points));
      }
      filings(filings) {
        return this.#use(
          (connection) => readHeldFilings(connection, new Set(filings.map(({ filingId }) => filingId)))
        );
      }
      putFilings(put, held) {
        return this.#use((connection) => writeFilings(connection, put, held));
      }
      addImport(record) {
        return this.#use((connection) => {
          connection.run(
            `insert into import (imported_at, file, kind, sha256, series, statements_new, statements_known, withdrawn)
         values (@importedAt, @file, @kind, @sha256, @series, @statementsNew, @statementsKnown, @withdrawn)`,
            record
          );
        });
      }
      addChange(change) {
        return this.#use((connection) => writeDescriptionChange(connection, change));
      }
      putFollowed(record) {
        return this.#use((connection) => writeFollowed(connection, record));
      }
      removeFollowed(source2, name) {
        return this.#use((connection) => removeFollowed(connection, source2, name));
      }
      async commit(changed) {
        try {
          if (changed) this.#connection.exec("update store set revision = revision + 1");
          this.#connection.exec("commit");
          this.#ending.publish();
        } catch (error) {
          this.#ending.abandon();
          throw asProblem(this.address, error);
        }
      }
      async rollback() {
        this.#ending.abandon();
      }
      async #use(work) {
        try {
          return work(this.#connection);
        } catch (error) {
          throw asProblem(this.address, error);
        }
      }
    };
  }
});

// src/store/postgres/locks.ts
var mostLocks, ImportLocks;
var init_locks = __esm({
  "src/store/postgres/locks.ts"() {
    "use strict";
    init_collision();
    init_connection2();
    mostLocks = 500;
    ImportLocks = class _ImportLocks {
      #transaction;
      #schema;
      #names = /* @__PURE__ */ new Set();
      #highest;
      #everything = false;
      constructor(transaction, schema) {
        this.#transaction = transaction;
        this.#schema = schema;
      }
      /** Takes the locks that an import is known to need; waits for those that others hold. */
      static async take(transaction, schema, plan) {
        const locks = new _ImportLocks(transaction, schema);
        locks.#everything = plan === "everything";
        const how = locks.#everything ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
        await transaction.run(`select ${how}(@key)`, { key: lockNumber(`store ${schema}`) });
        if (plan !== "everything") await locks.lock(plan);
        return locks;
      }
      async lock(names2) {
        if (this.#everything) return;
        const fresh = [...new Set(names2)].filter((name) => !this.#names.has(name));
        if (fresh.length === 0) return;
        if (this.#names.size + fresh.length > mostLocks) throw new ImportsCollide("everything");
        const keys = fresh.map((name) => lockNumber(`${name} of ${this.#schema}`));
        keys.sort((a, b) => a < b ? -1 : 1);
        const [lowest = 0n] = keys;
        const inOrder = this.#highest === void 0 || lowest > this.#highest;
        const how = inOrder ? "pg_advisory_xact_lock(key) is not null" : "pg_try_advisory_xact_lock(key)";
        const locked = await this.#transaction.row(
          `select bool_and(locked) as all from (select ${how} as locked from unnest(@keys::bigint[]) as key) as each`,
          { keys }
        );
        if (locked?.all !== true) throw new ImportsCollide([...this.#names, ...fresh]);
        for (const name of fresh) this.#names.add(name);
        const highest = keys.at(-1) ?? lowest;
        if (this.#highest === void 0 || highest > this.#highest) this.#highest = highest;
      }
    };
  }
});

// src/store/postgres/writer.ts
var writer_exports2 = {};
__export(writer_exports2, {
  openPostgresWriter: () => openPostgresWriter
});
async function openPostgresWriter(address, locked = []) {
  const database = await Database.open(address, 1);
  try {
    const transaction = await database.begin("write");
    try {
      const created = await prepareStore(transaction, database);
      const locks = await ImportLocks.take(transaction, database.schema, locked);
      return new TransactionWriter(new PostgresTransaction({ database, transaction, locks, created }));
    } catch (error) {
      transaction.abandon();
      throw error;
    }
  } catch (error) {
    await database.close();
    throw error;
  }
}
function lockOfSeries(id) {
  return `series ${id}`;
}
var PostgresTransaction, PostgresSeriesRows;
var init_writer3 = __esm({
  "src/store/postgres/writer.ts"() {
    "use strict";
    init_writer();
    init_connection2();
    init_curves2();
    init_filings2();
    init_following2();
    init_locks();
    init_schema2();
    init_series3();
    init_statements3();
    init_vintages();
    PostgresTransaction = class {
      #opened;
      constructor(opened) {
        this.#opened = opened;
      }
      get address() {
        return this.#opened.database.shown;
      }
      get created() {
        return this.#opened.created;
      }
      series(id) {
        return new PostgresSeriesRows(this.#opened, id);
      }
      async records(seriesIds) {
        await this.#opened.locks.lock(seriesIds.map(lockOfSeries));
        const starts = await readStarts(this.#opened.transaction, seriesIds);
        return new Map([...starts].map(([id, { record }]) => [id, record]));
      }
      async withStatements(seriesIds) {
        const starts = await readStarts(this.#opened.transaction, seriesIds);
        return new Set([...starts].flatMap(([id, { record }]) => record.hadStatements ? [id] : []));
      }
      async points(range) {
        await this.#opened.locks.lock([`curve ${range.curveType}`]);
        return readPoints2(this.#opened.transaction, range);
      }
      putPoints(points) {
        return writePoints2(this.#opened.transaction, points);
      }
      async filings(filings) {
        await this.#opened.locks.lock(filings.map(({ issuerCik }) => `filings ${issuerCik}`));
        return readHeldFilings2(this.#opened.transaction, [...new Set(filings.map(({ filingId }) => filingId))]);
      }
      putFilings(put, held) {
        return writeFilings2(this.#opened.transaction, put, held);
      }
      addImport(record) {
        return writeImport(this.#opened.transaction, record);
      }
      addChange(change) {
        return writeDescriptionChange2(this.#opened.transaction, change);
      }
      putFollowed(record) {
        return writeFollowed2(this.#opened.transaction, record);
      }
      removeFollowed(source2, name) {
        return removeFollowed2(this.#opened.transaction, source2, name);
      }
      async commit(changed) {
        const { database, transaction } = this.#opened;
        try {
          if (changed)
            await transaction.run(
              "update asof.store set revision = revision + 1, state = gen_random_uuid()::text"
            );
          await transaction.commit();
        } catch (error) {
          transaction.abandon();
          throw error;
        } finally {
          await database.close();
        }
      }
      async rollback() {
        this.#opened.transaction.abandon();
        await this.#opened.database.close();
      }
    };
    PostgresSeriesRows = class {
      #opened;
      #id;
      constructor(opened, id) {
        this.#opened = opened;
        this.#id = id;
      }
      async begin() {
        await this.#opened.locks.lock([lockOfSeries(this.#id)]);
        const found = (await readStarts(this.#transaction, [this.#id])).get(this.#id);
        if (found !== void 0) return found;
        await addSeries(this.#transaction, this.#id);
        const seriesId = this.#id;
        const record = { stated: { seriesId }, implied: { seriesId }, hadStatements: false };
        return { record, normalisedBy: "", coveredTo: "", newestVintage: "" };
      }
      putRecord(record) {
        return writeRecord2(this.#transaction, this.#id, record);
      }
      setFrequency(frequency) {
        return writeFrequency(this.#transaction, this.#id, frequency);
      }
      vintages() {
        return readVintages2(this.#transaction, this.#id);
      }
      changes(from, to) {
        return readChanges2(this.#transaction, this.#id, from, to);
      }
      latestChanges(from, to) {
        return readLatestChanges2(this.#transaction, this.#id, from, to);
      }
      dateSets() {
        return readDateSets(this.#transaction, this.#id);
      }
      kinds() {
        return readKinds(this.#transaction, this.#id);
      }
      apply(plan) {
        return applyPlan2(this.#transaction, this.#id, plan);
      }
      summarise(summary) {
        return summarise(this.#transaction, this.#id, summary);
      }
      get #transaction() {
        return this.#opened.transaction;
      }
    };
  }
});

// ../../s5c/prof.ts
import pg3 from "pg";

// src/import/import.ts
init_date();
init_series();
init_problem();
import { realpath as realpath2 } from "node:fs/promises";
import { basename as basename5, dirname as dirname5, join as join6, resolve } from "node:path";
import { setImmediate as tick } from "node:timers/promises";

// src/platform/installation.ts
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import envPaths from "env-paths";
function packageRoot() {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error("asof is not completely installed: its package.json is missing");
    folder = parent;
  }
  return folder;
}
function samplePath() {
  return join(packageRoot(), "dist", "sample.db");
}

// src/platform/promises.ts
async function unlessAborted(signal, outcome) {
  signal.throwIfAborted();
  let onAbort = () => void 0;
  const aborted = new Promise((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort);
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
var turns = /* @__PURE__ */ new Map();
async function inTurn(key, signal, work) {
  const before = turns.get(key);
  const turn = unlessAborted(signal, before ?? Promise.resolve()).then(work);
  const ended = Promise.allSettled([before, turn]);
  turns.set(key, ended);
  try {
    return await turn;
  } finally {
    if (turns.get(key) === ended) turns.delete(key);
  }
}

// src/import/import.ts
init_address();

// src/store/open.ts
init_problem();
init_address();
init_collision();

// src/store/sqlite/reader.ts
init_problem();
init_connection();
init_schema();
import { createHash } from "node:crypto";

// src/store/sqlite/view.ts
init_connection();
init_curves();
init_filings();
init_following();
init_series2();
init_statements2();
var SqliteView = class {
  #store;
  #connection;
  constructor(store, connection) {
    this.#store = store;
    this.#connection = connection;
  }
  /** Ends the view; its methods fail from now on. */
  end() {
    this.#connection = void 0;
  }
  state() {
    return this.#answer(this.#store.stateOf);
  }
  findSeries(id) {
    return this.#answer((connection) => {
      const series = readSeries(connection, id);
      return series && seriesOf2(series);
    });
  }
  searchSeries(query) {
    return this.#answer((connection) => searchSeries(connection, query));
  }
  observations(query) {
    return this.#answer((connection) => {
      const series = readSeries(connection, query.seriesId);
      if (series === void 0) return void 0;
      const vintage = readVintageOn(connection, series, query);
      const rows = this.#page(connection, series, query, vintage.newest?.asOf);
      return { series: seriesOf2(series), rows, vintage };
    });
  }
  dates(query) {
    return this.#answer((connection) => {
      const series = readSeries(connection, query.seriesId);
      return series && { series: seriesOf2(series), rows: readDates(connection, series.key, query) };
    });
  }
  revisions(seriesId, date4) {
    return this.#answer((connection) => {
      const series = readSeries(connection, seriesId);
      return series && { series: seriesOf2(series), rows: readRevisions(connection, series, date4) };
    });
  }
  vintages(query) {
    return this.#answer((connection) => {
      const series = readSeries(connection, query.seriesId);
      return series && {
        series: seriesOf2(series),
        firstDate: readFirstDate(connection, series.key),
        rows: readVintageCounts(connection, series, query)
      };
    });
  }
  curve(query) {
    return this.#answer((connection) => readCurve(connection, query));
  }
  yields(query) {
    return this.#answer((connection) => readYields(connection, query));
  }
  spread(query) {
    return this.#answer((connection) => readSpread(connection, query));
  }
  rates() {
    return this.#answer(readRates);
  }
  filings(query) {
    return this.#answer((connection) => readFilings(connection, query));
  }
  acceptedFilings(accessionNumbers) {
    return this.#answer((connection) => readAcceptedFilings(connection, accessionNumbers));
  }
  symbols() {
    return this.#answer(
      (connection) => connection.column("select distinct symbol from symbol order by symbol").all()
    );
  }
  filingCounts() {
    return this.#answer(countFilings);
  }
  coveredTo(what) {
    return this.#answer((connection) => {
      const newest = what === "filings" ? connection.column("select max(filed_on) from filing").get() : connection.column("select max(trade_date) from curve where curve_type = ?").get(what);
      return newest ?? void 0;
    });
  }
  purchases(query) {
    return this.#stream((connection) => readPurchases(connection, query));
  }
  statements(seriesId) {
    return this.#stream((connection) => readStatements(connection, seriesId));
  }
  completeVintages(seriesId) {
    return this.#answer((connection) => readCompleteVintages(connection, seriesId));
  }
  followed() {
    return this.#answer(readFollowed);
  }
  descriptionChanges(seriesId) {
    return this.#answer((connection) => readDescriptionChanges(connection, seriesId));
  }
  imports() {
    return this.#answer(
      (connection) => connection.objects(
        `select imported_at as importedAt, file, kind, sha256, series, statements_new as statementsNew,
             statements_known as statementsKnown, withdrawn,
             outdated and not exists (select 1 from import as again where again.id > import.id
               and again.sha256 = import.sha256 and not again.outdated) as outdated
           from import order by id`
      ).all().map(({ outdated, ...record }) => ({ ...record, outdated: outdated === 1 }))
    );
  }
  /** A page of values: as of any day between two vintages it is the page of the first, which may be in the cache. */
  #page(connection, series, query, vintage) {
    const { pages } = this.#store;
    const { asOf, seriesId: _id, ...others } = query;
    if (pages === void 0 || asOf === void 0) return readObservations(connection, series, query);
    const key = JSON.stringify([connection.file, series.key, series.version, vintage, others]);
    const cached = pages.get(key);
    if (cached !== void 0) return cached;
    const rows = readObservations(connection, series, query);
    pages.set(key, rows);
    return rows;
  }
  async #answer(read) {
    try {
      return read(this.#open());
    } catch (error) {
      throw asProblem(this.#store.path, error);
    }
  }
  async *#stream(read) {
    try {
      for await (const batch of read(this.#open())) {
        yield batch;
        this.#open();
      }
    } catch (error) {
      throw asProblem(this.#store.path, error);
    }
  }
  #open() {
    if (this.#connection === void 0) throw new Error("this view of the store has ended");
    return this.#connection;
  }
};

// src/store/sqlite/reader.ts
async function openSqliteStore(path, options) {
  return new SqliteStore(path, options);
}
var mostIdle = 32;
var SqliteStore = class {
  address;
  #live;
  #pages;
  #idle = [];
  #file;
  #closed = false;
  #newest;
  constructor(path, { live = false, pages }) {
    this.address = path;
    this.#live = live;
    this.#pages = pages;
    const first = this.#connect();
    this.#file = first.file;
    this.#idle.push(first);
  }
  async read(work) {
    if (this.#closed) throw new Error(`the store ${this.address} is closed`);
    const connection = this.#idle.pop() ?? this.#another();
    const store = {
      path: this.address,
      pages: this.#pages,
      stateOf: (of) => this.#stateOf(of)
    };
    const view = new SqliteView(store, connection);
    try {
      try {
        connection.run("begin");
        return await work(view);
      } finally {
        view.end();
        this.#release(connection);
      }
    } catch (error) {
      throw asProblem(this.address, error);
    }
  }
  async close() {
    this.#closed = true;
    for (const connection of this.#idle) connection.close();
    this.#idle = [];
  }
  #another() {
    const connection = this.#connect();
    if (connection.file !== this.#file) {
      this.#file = connection.file;
      for (const old of this.#idle) old.close();
      this.#idle = [];
    }
    return connection;
  }
  #release(connection) {
    if (connection.inTransaction) connection.run("commit");
    const keep = !this.#closed && this.#idle.length < mostIdle && connection.file === this.#file;
    if (keep) this.#idle.push(connection);
    else connection.close();
  }
  #connect() {
    const connection = connectReader(this.address, this.#live);
    try {
      if (formatOf(connection, this.address) === currentFormat) return connection;
    } catch (error) {
      connection.close();
      throw asProblem(this.address, error);
    }
    connection.close();
    return upgraded(this.address, this.#live);
  }
  #stateOf(connection) {
    const row = connection.objects("select revision, sample from store").get();
    if (row === void 0) throw new Error(`the store ${this.address} has no revision`);
    const { revision } = row;
    const known2 = this.#newest;
    if (known2?.state.revision === revision && known2.file === connection.file) return known2.state;
    const sample = row.sample === 1;
    const imports = connection.tuples("select imported_at, sha256 from import order by id").all();
    const content = JSON.stringify([revision, sample, imports]);
    const name = createHash("sha256").update(content).digest("base64url").slice(0, 22);
    const state = { name, revision, sample };
    this.#newest = { file: connection.file, state };
    return state;
  }
};
function upgraded(path, live) {
  try {
    const writing2 = connect(path, false);
    try {
      upgrade(writing2, path);
    } finally {
      writing2.close();
    }
    return connectReader(path, live);
  } catch (error) {
    if (!cannotWrite(error)) throw asProblem(path, error);
    if (live)
      throw new Problem("local-io", `${path} was made by an older asof, and cannot be brought up to date`, {
        hints: ["its file and folder must be writable once; any `asof import` does it"],
        cause: error
      });
    const copy = inMemory(path, error);
    upgrade(copy, path);
    return copy;
  }
}
function upgrade(connection, path) {
  connection.inOneStep(() => migrate(connection, path));
}

// src/store/open.ts
async function openStore(address, options = {}) {
  if (!isDatabase(address)) return openSqliteStore(address, options);
  const { openPostgresStore: openPostgresStore2 } = await Promise.resolve().then(() => (init_reader(), reader_exports));
  return openPostgresStore2(address);
}
async function openWriter(address, copyOf) {
  if (isDatabase(address)) return openDatabaseWriter(address, copyOf);
  const { openSqliteWriter: openSqliteWriter2 } = await Promise.resolve().then(() => (init_writer2(), writer_exports));
  return openSqliteWriter2(address, copyOf);
}
async function openDatabaseWriter(address, copyOf, needed) {
  if (copyOf !== void 0)
    throw new Problem("bad-input", "only a store in a file can begin as a copy of the sample", {
      hints: ["leave out --with-sample"]
    });
  const { openPostgresWriter: openPostgresWriter2 } = await Promise.resolve().then(() => (init_writer3(), writer_exports2));
  return openPostgresWriter2(address, needed);
}
async function writing(address, work, copyOf) {
  let needed;
  for (; ; ) {
    const writer = needed === void 0 ? await openWriter(address, copyOf) : await openDatabaseWriter(address, copyOf, needed);
    try {
      return await work(writer);
    } catch (error) {
      await writer.rollback();
      if (!(error instanceof ImportsCollide)) throw error;
      needed = error.needed;
    }
  }
}

// src/import/files/walk.ts
init_problem();
init_system_errors();
import { readdir, realpath, stat } from "node:fs/promises";
import { basename as basename4, dirname as dirname4 } from "node:path";

// src/import/files/content.ts
init_problem();
init_system_errors();
import { createHash as createHash3 } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { TextDecoder as TextDecoder2 } from "node:util";
import { createGunzip } from "node:zlib";

// src/import/files/source-file.ts
init_problem();
function refusal(file, place2, reason, hints = []) {
  const row = place2.row === void 0 ? "" : `, row ${place2.row}`;
  const column = place2.column === void 0 ? "" : `, column ${JSON.stringify(clip(place2.column))}`;
  const value = place2.value === void 0 ? "" : `: ${JSON.stringify(clip(place2.value))}`;
  return new Problem("bad-input", `${file.path}${row}${column}${value}: ${clip(reason, longestReason)}`, {
    hints
  });
}
function notUtf8(file, place2 = {}) {
  const hint = "save the file as UTF-8, or download it again if it is damaged";
  return refusal(file, place2, "this is not UTF-8 text", [hint]);
}
var longestReason = 2e3;
function clip(value, longest = 80) {
  return value.length > longest ? `${value.slice(0, longest - 3)}...` : value;
}
function printablePath(name) {
  if (name === "") return '""';
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}
var mebibyte = 2 ** 20;
var limits = {
  /** Members of an archive. */
  members: 1e4,
  /** Unpacked content. */
  content: 4096 * mebibyte,
  /** Unpacked size divided by packed size. */
  ratio: 1e3,
  /** Unpacked content up to this size may have any ratio. */
  smallContent: 10 * mebibyte,
  /** A file read into memory as a whole. */
  inMemory: 1024 * mebibyte
};
function refuseBomb(path, contentSize, packedSize) {
  if (contentSize > limits.content)
    throw refusal({ path }, {}, "it unpacks to more than 4 GiB; unpack it and split it");
  if (contentSize > limits.smallContent && contentSize > packedSize * limits.ratio) {
    throw refusal({ path }, {}, "it unpacks to more than 1000 times its size, which no data file does", [
      "if the file is genuine, unpack it and import the result"
    ]);
  }
}

// src/import/files/content.ts
var headSize = 64 * 1024;
function sourceFile(content) {
  const { name, path, size, packed = false, stored: stored2 = content.read, siblings } = content;
  const read = (counter) => asUtf8(content.read(counter));
  return {
    name,
    path,
    size,
    siblings,
    open: async (counter) => Readable.from(read(counter), { objectMode: false }),
    head: () => firstBytes(read(), headSize),
    bytes: async (counter) => {
      if (!packed && size > limits.inMemory) throw tooLarge(path, limits.inMemory);
      return allBytes(path, read(counter), limits.inMemory);
    },
    sha256: () => digest(stored2())
  };
}
async function* fileBytes(location, path) {
  try {
    for await (const chunk of createReadStream(location)) yield chunk;
  } catch (error) {
    throw systemProblem("read", path, error);
  }
}
function counted(bytes, counter) {
  return counter === void 0 ? bytes : countChunks(bytes, counter);
}
async function* countChunks(bytes, counter) {
  for await (const chunk of bytes) {
    counter(chunk.length);
    yield chunk;
  }
}
async function firstBytes(bytes, count) {
  const chunks = [];
  let size = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= count) break;
  }
  return Buffer.concat(chunks).subarray(0, count);
}
async function allBytes(path, bytes, limit) {
  const chunks = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw tooLarge(path, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
function tooLarge(path, limit) {
  const size = limit >= 2 ** 30 ? `${limit / 2 ** 30} GiB` : `${limit / 2 ** 20} MiB`;
  return refusal({ path }, {}, `larger than ${size}, the limit for a file of this kind`);
}
async function digest(bytes) {
  const hash = createHash3("sha256");
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest("hex");
}
var signatureSize = 512;
var zipSignatures = ["PK", "PK", "PK\x07\b"];
var officeParts = /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|customXml\/)/;
function signatureOf(head) {
  if (head[0] === 31 && head[1] === 139) return "gzip";
  const text = head.toString("latin1");
  if (!zipSignatures.includes(text.slice(0, 4))) return void 0;
  return isOfficeDocument(head, text) ? void 0 : "zip";
}
function isOfficeDocument(head, text) {
  if (head.length < 30) return false;
  return officeParts.test(text.slice(30, 30 + head.readUInt16LE(26)));
}
async function* asUtf8(bytes) {
  let decoder;
  let start = Buffer.alloc(0);
  let isKnown = false;
  for await (const chunk of bytes) {
    let content = chunk;
    if (!isKnown) {
      content = start = Buffer.concat([start, chunk]);
      if (start.length < probe) continue;
      isKnown = true;
      decoder = decoderOf(start);
    }
    yield decoder === void 0 ? content : Buffer.from(decoder.decode(content, { stream: true }));
  }
  if (!isKnown) {
    decoder = decoderOf(start);
    if (start.length > 0)
      yield decoder === void 0 ? start : Buffer.from(decoder.decode(start, { stream: true }));
  }
  const rest = decoder?.decode() ?? "";
  if (rest !== "") yield Buffer.from(rest);
}
var probe = 8;
function decoderOf(start) {
  const text = start.subarray(0, probe).toString("latin1");
  if (/^(?:\xff\xfe|(?:[\t-~]\0){4})/.test(text)) return new TextDecoder2("utf-16le");
  if (/^(?:\xfe\xff|(?:\0[\t-~]){4})/.test(text)) return new TextDecoder2("utf-16be");
  return void 0;
}
async function* gunzipped(path, packed) {
  let packedSize = 0;
  let contentSize = 0;
  const source2 = Readable.from(
    (async function* () {
      for await (const chunk of packed) {
        packedSize += chunk.length;
        yield chunk;
      }
    })(),
    { objectMode: false }
  );
  const content = pipeline(source2, createGunzip(), () => void 0);
  try {
    for await (const chunk of content) {
      contentSize += chunk.length;
      refuseBomb(path, contentSize, packedSize);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal({ path }, {}, `the gzip data is damaged or cut short: ${reason}`).with({ cause: error });
  }
}
async function withoutGzip(content) {
  const { path, name, size, read, siblings } = content;
  const signature = signatureOf(await firstBytes(read(), signatureSize));
  if (signature === "zip") throw nestedZip(path);
  if (signature !== "gzip") return sourceFile(content);
  const unpacked = (counter) => gunzipped(path, read(counter));
  if (signatureOf(await firstBytes(unpacked(), signatureSize)) === "zip") throw nestedZip(path);
  const stored2 = content.stored ?? read;
  const inside = name.replace(/\.gz$/i, "");
  return sourceFile({ path, name: inside, size, packed: true, read: unpacked, stored: stored2, siblings });
}
function nestedZip(path) {
  const hints = ["unpack the outer archive, and import the archives in it"];
  return refusal({ path }, {}, "a zip archive inside another archive is not opened", hints);
}

// src/import/files/zip.ts
init_problem();
init_system_errors();
import { pipeline as pipeline2 } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
var stored = 0;
var deflated = 8;
async function zipMembers(archive, path) {
  const entries = await membersOf(archive, path);
  const files = [];
  for (const [name, entry] of [...entries].sort(([a], [b]) => a < b ? -1 : Number(a > b))) {
    const memberPath = `${path}/${printablePath(name)}`;
    const content = await withoutGzip({
      name: printablePath(name.slice(name.lastIndexOf("/") + 1)),
      path: memberPath,
      size: entry.uncompressedSize,
      read: (counter) => counted(memberBytes(archive, memberPath, entry), counter),
      siblings: async () => files.filter((other) => other !== file)
    });
    const file = { ...content, inArchive: true };
    files.push(file);
  }
  return files;
}
async function membersOf(archive, path) {
  const { default: yauzl } = await import("yauzl");
  const members = [];
  const zip = await openZip(archive, path);
  try {
    if (zip.entryCount > limits.members) throw tooMany(path);
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields } = entry;
      const name = yauzl.getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false);
      if (name.endsWith("/") || isHidden(name)) continue;
      refuseUnreadable(`${path}/${printablePath(name)}`, entry);
      members.push([name, entry]);
    }
  } catch (error) {
    throw asProblem3(path, error);
  } finally {
    zip.close();
  }
  return members;
}
function isHidden(name) {
  return name.startsWith("__MACOSX/") || name.split("/").some((part) => /^\.(?!\.?$)/.test(part));
}
function refuseUnreadable(path, entry) {
  if (entry.isEncrypted()) throw refusal({ path }, {}, "encrypted; unpack the archive first");
  if (entry.compressionMethod !== stored && entry.compressionMethod !== deflated) {
    const reason = `compression method ${entry.compressionMethod} is not supported; unpack the archive first`;
    throw refusal({ path }, {}, reason);
  }
  refuseBomb(path, entry.uncompressedSize, entry.compressedSize);
}
async function* memberBytes(archive, path, entry) {
  const zip = await openZip(archive, path);
  try {
    const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    const content = entry.compressionMethod === deflated ? pipeline2(raw, createInflateRaw(), () => void 0) : raw;
    let size = 0;
    let checksum = 0;
    for await (const chunk of content) {
      size += chunk.length;
      if (size > entry.uncompressedSize) break;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
    if (size !== entry.uncompressedSize) throw damaged(path, "its size differs from the one in the archive");
    if (checksum !== entry.crc32) throw damaged(path, "its checksum differs from the one in the archive");
  } catch (error) {
    throw asProblem3(path, error);
  } finally {
    zip.close();
  }
}
async function openZip(archive, path) {
  const { default: yauzl } = await import("yauzl");
  try {
    const options = { autoClose: false, decodeStrings: false };
    const zip = await (typeof archive === "string" ? yauzl.openPromise(archive, options) : yauzl.fromBufferPromise(archive, options));
    zip.on("error", () => void 0);
    return zip;
  } catch (error) {
    throw asProblem3(path, error);
  }
}
function asProblem3(path, error) {
  if (error instanceof Problem) return error;
  if (isSystemError(error)) return systemProblem("read", path, error);
  return damaged(path, error instanceof Error ? error.message : String(error), error);
}
function damaged(path, reason, cause) {
  return refusal({ path }, {}, `the zip archive is damaged or cut short: ${reason}`).with({ cause });
}
function tooMany(path) {
  return refusal({ path }, {}, `more than ${limits.members} members; unpack it and import parts of it`);
}

// src/import/files/walk.ts
async function sourceFiles(paths, stdin) {
  const walk = new Walk();
  const files = [];
  if (paths.filter((path) => path === "-").length > 1)
    throw new Problem("bad-input", "standard input (-) can be read once only");
  for (const path of paths) {
    if (path === "-" && stdin !== void 0) files.push(await inputFile(stdin));
    else files.push(...await walk.filesAt(path));
  }
  return files;
}
async function inputFile(stdin) {
  const path = "standard input";
  const bytes = await allBytes(path, asBuffers(stdin), limits.inMemory);
  if (signatureOf(bytes.subarray(0, signatureSize)) === "zip")
    throw refusal({ path }, {}, "a zip archive cannot be read from standard input", [
      "save it to a file, and import that"
    ]);
  return withoutGzip({
    name: "stdin",
    path,
    size: bytes.length,
    read: (counter) => counted(asBuffers([bytes]), counter),
    siblings: async () => []
  });
}
async function* asBuffers(chunks) {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}
var Walk = class {
  /** By real path. */
  #entered = /* @__PURE__ */ new Set();
  #plainFiles = /* @__PURE__ */ new Map();
  /** The files at a typed path. */
  async filesAt(path) {
    const stats = await statsOf(path);
    if (stats.isFile()) return this.#filesIn(path);
    if (stats.isDirectory()) return this.#typedFolder(path);
    const hints = ["save its content to a file, and import that"];
    throw new Problem("local-io", `${printablePath(path)}: neither a file nor a folder`, { hints });
  }
  async #typedFolder(path) {
    const before = this.#entered.size;
    const files = await this.#folderFiles(path, []);
    if (files.length === 0 && this.#entered.size > before) {
      const reason = "the folder has no file to import (hidden files are ignored)";
      throw refusal({ path: printablePath(path) }, {}, reason);
    }
    return files;
  }
  /** `above` are the real paths of the folders that lead here. */
  async #folderFiles(path, above) {
    const [real, names2] = await listing(path);
    if (above.includes(real)) {
      const reason = "the folder contains itself, through a symbolic link";
      throw new Problem("local-io", `${printablePath(path)}: ${reason}`);
    }
    if (this.#entered.has(real)) return [];
    this.#entered.add(real);
    const files = [];
    for (const name of names2) {
      const inner = within3(path, name);
      const stats = await statsOf(inner);
      if (stats.isFile()) files.push(...await this.#filesIn(inner));
      if (stats.isDirectory()) files.push(...await this.#folderFiles(inner, [...above, real]));
    }
    return files;
  }
  /** A plain file, or the members of an archive. */
  async #filesIn(location) {
    const content = await this.#contentAt(location);
    if (signatureOf(await firstBytes(content.read(), signatureSize)) !== "zip")
      return [await withoutGzip(content)];
    const members = await zipMembers(location, content.path);
    if (members.length === 0) throw refusal(content, {}, "the archive has no file to import");
    return members;
  }
  async #contentAt(location) {
    const path = printablePath(location);
    return {
      name: printablePath(basename4(location)),
      path,
      size: (await statsOf(location)).size,
      read: (counter) => counted(fileBytes(location, path), counter),
      siblings: async () => {
        const files = await this.#plainFilesOf(dirname4(location));
        return files.filter(([name]) => name !== basename4(location)).map(([, file]) => file);
      }
    };
  }
  #plainFilesOf(folder) {
    const known2 = this.#plainFiles.get(folder);
    if (known2 !== void 0) return known2;
    const files = this.#findPlainFiles(folder);
    this.#plainFiles.set(folder, files);
    return files;
  }
  /** The plain files of a folder by name; archives and unreadable files are left out. */
  async #findPlainFiles(folder) {
    const [, names2] = await listing(folder);
    const files = [];
    for (const name of names2) {
      const location = within3(folder, name);
      try {
        if ((await statsOf(location)).isFile())
          files.push([name, await withoutGzip(await this.#contentAt(location))]);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
      }
    }
    return files;
  }
};
async function statsOf(path) {
  try {
    return await stat(path);
  } catch (error) {
    throw systemProblem("read", printablePath(path), error);
  }
}
async function listing(path) {
  try {
    const names2 = await readdir(path);
    return [await realpath(path), names2.filter((name) => !name.startsWith(".")).sort()];
  } catch (error) {
    throw systemProblem("read", printablePath(path), error);
  }
}
function within3(folder, name) {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

// src/import/formats/recognise.ts
init_problem();

// src/import/readers/xlsx.ts
init_problem();
async function readSheets(file) {
  const content = await file.bytes();
  if (isOldWorkbook(content)) return readOldSheets(file, content);
  const { default: readWorkbook2 } = await import("read-excel-file/node");
  const sheets = await readWorkbook2(content, { parseNumber: (text) => text }).catch((error) => {
    if (error instanceof Problem || !(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  });
  return sheets.map(({ sheet, data }) => {
    if (data === void 0) throw refusal(file, {}, `not a readable workbook: it lacks its sheet ${sheet}`);
    return { name: sheet, rows: data };
  });
}
function isOldWorkbook(head) {
  return Buffer.from(head.subarray(0, 4)).equals(Buffer.from([208, 207, 17, 224]));
}
async function readOldSheets(file, content) {
  const { read, utils } = await import("@e965/xlsx");
  try {
    const { SheetNames: names2, Sheets: sheets } = read(content, {
      type: "array",
      cellDates: true,
      UTC: true
    });
    return names2.map((name) => {
      const rows = utils.sheet_to_json(sheets[name] ?? {}, {
        header: 1,
        defval: null,
        blankrows: true,
        UTC: true
      });
      return {
        name,
        rows: rows.map((row) => row.map((cell) => typeof cell === "number" ? String(cell) : cell))
      };
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw refusal(file, {}, `not a readable workbook: ${error.message}`);
  }
}
async function readOnlySheet(file) {
  const [sheet, ...others] = await readSheets(file);
  if (sheet === void 0 || others.length > 0)
    throw refusal(
      file,
      {},
      `the workbook has ${others.length + (sheet === void 0 ? 0 : 1)} sheets; expected one`
    );
  return sheet.rows;
}
var sheetsMark = "PK sheets:\n";
var [headLength, textsLength] = [256 * 1024, 16 * 1024 * 1024];
async function workbookHead(file) {
  if (isOldWorkbook(await file.head())) {
    const sheets2 = await readOldSheets(file, await file.bytes());
    const headers2 = sheets2.map(
      ({ rows }) => headerOf2(rows.map((row) => row.map((cell) => typeof cell === "string" ? cell : "")))
    );
    return headOf(
      sheets2.map(({ name }) => name),
      headers2
    );
  }
  const { default: yauzl } = await import("yauzl");
  const parts = /* @__PURE__ */ new Map();
  try {
    const zip = await yauzl.fromBufferPromise(await file.bytes());
    for await (const entry of zip.eachEntry()) {
      const isSheet = /^xl\/worksheets\/[^/]+\.xml$/.test(entry.fileName);
      if (!isSheet && !/^xl\/(?:workbook|sharedStrings)\.xml$/.test(entry.fileName)) continue;
      const most = isSheet ? headLength : textsLength;
      const chunks = [];
      let length = 0;
      for await (const chunk of await zip.openReadStreamPromise(entry)) {
        chunks.push(chunk);
        length += chunk.length;
        if (length > most) break;
      }
      parts.set(entry.fileName, Buffer.concat(chunks).toString("utf8"));
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
  }
  const workbook = parts.get("xl/workbook.xml");
  if (workbook === void 0) return void 0;
  const names2 = Array.from(
    workbook.matchAll(/<(?:\w+:)?sheet\b[^>]*\bname="([^"]*)"/g),
    ([, name = ""]) => name
  );
  const texts2 = elementsOf(parts.get("xl/sharedStrings.xml") ?? "", "si").map(
    ({ content }) => textIn(content)
  );
  const sheets = [...parts].filter(([name]) => name.startsWith("xl/worksheets/"));
  const headers = sheets.map(([, xml]) => headerIn2(xml, texts2));
  return headOf(names2, headers);
}
function headOf(names2, headers) {
  const lines = headers.map((header) => header.map(csvCell).join(","));
  return `${sheetsMark}${names2.join("\n")}

${lines.join("\n")}`;
}
function sheetNamesIn(head) {
  return listIn(head, 0);
}
function sheetHeadersIn(head) {
  return listIn(head, 1);
}
function listIn(head, part) {
  if (!head.startsWith(sheetsMark)) return [];
  return (head.slice(sheetsMark.length).split("\n\n")[part] ?? "").split("\n").filter((line) => line !== "");
}
function headerIn2(sheet, texts2) {
  const rows = elementsOf(sheet, "row").map(
    ({ content }) => elementsOf(content, "c").map(({ attributes, content: cell }) => {
      const value = elementsOf(cell, "v")[0]?.content ?? "";
      if (/\bt="s"/.test(attributes)) return texts2[Number(value)] ?? "";
      return value === "" ? textIn(cell) : value;
    })
  );
  return headerOf2(rows);
}
function headerOf2(rows) {
  return rows.find(([first = ""]) => isDateColumn(first)) ?? rows.find((row) => row.length > 0) ?? [];
}
function isDateColumn(name) {
  return /^(?:observation_|period_start_)?date$/i.test(name);
}
function elementsOf(xml, name) {
  const pattern2 = new RegExp(`<(?:\\w+:)?${name}(\\s[^>]*?)?(?:/>|>(.*?)</(?:\\w+:)?${name}>)`, "gs");
  return Array.from(xml.matchAll(pattern2), ([, attributes = "", content = ""]) => ({ attributes, content }));
}
function textIn(xml) {
  const text = elementsOf(xml, "t").map(({ content }) => content);
  return text.join("").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}
function csvCell(text) {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""').replaceAll("\n", " ")}"` : text;
}

// src/import/formats/fred/csv.ts
init_date();

// src/import/readers/csv.ts
init_problem();
import { Readable as Readable2 } from "node:stream";
import { parse } from "csv-parse";

// src/import/readers/dates.ts
var midnight = "(?:[T ]+(?:0?0:00(?::00(?:\\.0+)?)?|12:00(?::00)? ?AM) ?(?:Z|UTC|[+-]\\d\\d:?\\d\\d)?)?";
var yearFirst = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${midnight}$`, "i");
var yearLast = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4}|\\d\\d)${midnight}$`, "i");
function isIso(text) {
  return text.length === 10 && text[4] === "-" && text[7] === "-";
}
var DateReader = class {
  #file;
  #usual;
  #all;
  #order;
  /** `all` gives every date cell of the file. */
  constructor(file, usual, all) {
    this.#file = file;
    this.#usual = usual;
    this.#all = all;
    this.#order = file.dateOrder;
  }
  /** The date in a cell; undefined if the cell stays as it is. */
  async read(text) {
    const trimmed = text.trim();
    const [, year, , month = "", day = ""] = yearFirst.exec(trimmed) ?? [];
    if (year !== void 0) return `${year}-${padded(month)}-${padded(day)}`;
    const parts = partsOf2(trimmed);
    if (parts === void 0) return void 0;
    const order = parts.dotted ? "D/M/YYYY" : await this.#theOrder();
    const [m, d] = order === "M/D/YYYY" ? [parts.first, parts.second] : [parts.second, parts.first];
    return parts.year.length === 4 ? `${parts.year}-${padded(m)}-${padded(d)}` : `${m}/${d}/${parts.year}`;
  }
  async #theOrder() {
    this.#order ??= await decidedOrder(this.#file, this.#all(), this.#usual);
    return this.#order;
  }
};
function isPlainDate(text) {
  return text === "" || isIso(text);
}
function partsOf2(text) {
  const [, first = "", separator2, second = "", year = ""] = yearLast.exec(text) ?? [];
  return separator2 === void 0 ? void 0 : { first, second, year, dotted: separator2 === "." };
}
function padded(digits) {
  return digits.padStart(2, "0");
}
var waysOut = {
  "M/D/YYYY": "--date-format M/D/YYYY if the month comes first",
  "D/M/YYYY": "--date-format D/M/YYYY if the day comes first"
};
async function decidedOrder(file, cells, usual) {
  let [monthFirst, dayFirst, open] = [];
  let [firstsIfMonthFirst, firstsIfDayFirst] = [true, true];
  const years = /* @__PURE__ */ new Set();
  for await (const cell of cells) {
    const parts = partsOf2(cell.text.trim());
    if (parts === void 0 || parts.dotted) continue;
    const [first, second] = [Number(parts.first), Number(parts.second)];
    if (first > 12) dayFirst ??= cell;
    else if (second > 12) monthFirst ??= cell;
    else if (first !== second) open ??= cell;
    firstsIfMonthFirst &&= second === 1;
    firstsIfDayFirst &&= first === 1;
    years.add(parts.year);
  }
  if (monthFirst !== void 0 && dayFirst !== void 0) throw mixed(file, monthFirst, dayFirst);
  if (monthFirst !== void 0) return "M/D/YYYY";
  if (dayFirst !== void 0) return "D/M/YYYY";
  if (years.size > 1 && firstsIfMonthFirst) return "M/D/YYYY";
  if (years.size > 1 && firstsIfDayFirst) return "D/M/YYYY";
  if (open === void 0) return "M/D/YYYY";
  if (usual !== void 0) return usual;
  const { row, column, text } = open;
  const reason = "the month or the day could come first, and no date of the file decides it";
  throw refusal(file, { row, column, value: text }, reason, Object.values(waysOut));
}
function mixed(file, monthFirst, dayFirst) {
  const [earlier2, later] = monthFirst.row <= dayFirst.row ? [monthFirst, dayFirst] : [dayFirst, monthFirst];
  const [day, month] = later === dayFirst ? ["day", "month"] : ["month", "day"];
  const reason = `the ${day} comes first here, and the ${month} in row ${earlier2.row}: ${JSON.stringify(earlier2.text)}`;
  return refusal(file, { row: later.row, column: later.column, value: later.text }, reason);
}

// src/import/readers/dialect.ts
var separators = [",", ";", "	"];
var dateName = /^(?:observation_|period_start_)?date$|^sasdate$/i;
var mostTitles = 60;
function dialectOf(head) {
  const lines = linesOf(head, mostTitles + 2);
  const titles = titlesAbove(lines);
  const header = lines[titles] ?? "";
  const counts2 = separators.map((separator2) => cellsIn(header, separator2).length);
  const most = counts2.indexOf(Math.max(...counts2));
  return { separator: separators[most] ?? ",", titles };
}
function titlesAbove(lines) {
  for (const [index, line] of lines.entries()) {
    if (separators.some((separator2) => isHeader(cellsIn(line, separator2)))) {
      const next = lines.slice(index + 1).find((below) => !isBlank(below)) ?? "";
      return /^"?\d/.test(next) ? index : 0;
    }
    if (separators.some((separator2) => cellsIn(line, separator2).filter((cell) => cell !== "").length > 2))
      return 0;
  }
  return 0;
}
function isHeader([first = "", ...others]) {
  return dateName.test(first) && others.some((cell) => cell !== "");
}
function isBlank(line) {
  return /^[\s,;]*$/.test(line);
}
function linesOf(head, count) {
  const text = head.replace(/^(?:\uFEFF|\u00EF\u00BB\u00BF)/, "");
  return text.split("\n", count).map((line) => line.replace(/\r$/, ""));
}
function cellsIn(line, separator2) {
  const cells = [];
  let [start, quoted2] = [0, false];
  for (let at = 0; at <= line.length; at += 1) {
    if (line[at] === '"') quoted2 = !quoted2;
    if (at < line.length && (quoted2 || line[at] !== separator2)) continue;
    cells.push(
      line.slice(start, at).trim().replace(/^"(.*)"$/, "$1")
    );
    start = at + 1;
  }
  return cells;
}
var dateColumn = /(?:^|_)date$|^sasdate$|^realtime_(?:start|end)$|^covered_to$/i;
var commaNumber = /^-?\d+,\d+(?:e[+-]?\d+)?$/i;
var pointNumber = /^-?\d+\.\d+(?:e[+-]?\d+)?$/i;
var WrittenCells = class {
  #file;
  #names;
  /** Whether the header ends in cells without a name. */
  #hasBlankNames;
  #dateColumns;
  #dates;
  /** Whether commas can be decimal signs. */
  #hasCommas;
  #comma;
  #point;
  /** `again` reads the file from its beginning. */
  constructor(file, { separator: separator2, titles }, header, usual, again) {
    this.#file = file;
    const width = header.cells.findLastIndex((name) => name.trim() !== "") + 1;
    this.#hasBlankNames = width > 0 && width < header.cells.length;
    if (this.#hasBlankNames) header.cells = header.cells.slice(0, width);
    this.#names = header.cells;
    this.#dateColumns = [...this.#names.keys()].filter((index) => dateColumn.test(this.#nameOf(index)));
    this.#dates = new DateReader(file, usual, () => this.#dateCells(again(), titles + 1));
    this.#hasCommas = separator2 !== ",";
  }
  /** Replaces the cells of rows by what they mean. */
  async read(rows) {
    for (const record of rows) {
      const { row, cells } = record;
      if (cells.length > this.#names.length) this.#dropBlanks(record);
      for (const index of this.#dateColumns) {
        const text = cells[index];
        if (text === void 0 || isPlainDate(text)) continue;
        const date4 = await this.#dates.read(text);
        if (date4 !== void 0) record.cells[index] = date4;
      }
      for (let index = 0; index < record.cells.length; index += 1) {
        const cell = record.cells[index] ?? "";
        if (cell === "NaN" || cell === "nan") record.cells[index] = "";
        else if (this.#hasCommas) record.cells[index] = this.#withPoint(row, index, cell);
      }
    }
  }
  #nameOf(index) {
    return (this.#names[index] ?? "").trim();
  }
  /** Drops the cells beyond the header if all of them are blank. */
  #dropBlanks(record) {
    const width = this.#names.length;
    const value = record.cells.slice(width).find((cell) => cell.trim() !== "");
    if (value === void 0) record.cells = record.cells.slice(0, width);
    else if (this.#hasBlankNames)
      throw refusal(this.#file, { row: record.row, value }, "the header has no name for this column");
  }
  async *#dateCells(batches, header) {
    for await (const rows of batches)
      for (const { row, cells } of rows) {
        if (row <= header) continue;
        for (const index of this.#dateColumns) {
          const text = cells[index] ?? "";
          if (!isPlainDate(text)) yield { row, column: this.#nameOf(index), text };
        }
      }
  }
  /** A number with a decimal point; refused if the file has decimal points as well as decimal commas. */
  #withPoint(row, index, cell) {
    const text = cell.trim();
    const isComma = commaNumber.test(text);
    if (!isComma && !pointNumber.test(text)) return cell;
    const number2 = { row, column: this.#nameOf(index), value: text };
    if (isComma) this.#comma ??= number2;
    else this.#point ??= number2;
    const other = isComma ? this.#point : this.#comma;
    if (other !== void 0) {
      const reason = `${JSON.stringify(other.value)} in row ${other.row} has the other decimal sign, so one of them may separate thousands`;
      throw refusal(this.#file, number2, reason, ["save the file with one decimal sign"]);
    }
    return isComma ? text.replace(",", ".") : cell;
  }
};

// src/import/readers/csv.ts
var batchSize2 = 5e3;
var longestRecord = 16 * 1024 * 1024;
async function* readCsv(file, usual) {
  const dialect = dialectOf((await file.head()).toString("latin1"));
  let reader;
  for await (const batch of recordsOf(file, dialect)) {
    const rows = batch.filter(({ row }) => row > dialect.titles);
    if (reader === void 0) {
      const header = rows.shift();
      if (header === void 0) continue;
      reader = new WrittenCells(file, dialect, header, usual, () => recordsOf(file, dialect));
      yield [header];
    }
    if (rows.length === 0) continue;
    await reader.read(rows);
    yield rows;
  }
}
async function* recordsOf(file, { separator: separator2 }) {
  const input = await file.open();
  try {
    const chunks = withoutMark(input);
    let row = 0;
    let rest = "";
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const chunk = next.value;
      if (chunk.includes('"')) return yield* quotedRows(file, resumed(rest + chunk, chunks), row, separator2);
      const end = chunk.lastIndexOf("\n");
      if (end >= 0) {
        const lines = (rest + chunk.slice(0, end + 1)).split("\n");
        lines.pop();
        const rows = plainRows(file, lines, row, separator2);
        if (rows.length > 0) yield rows;
        row += lines.length;
      }
      rest = end >= 0 ? chunk.slice(end + 1) : rest + chunk;
      if (rest.length > longestRecord) throw tooLong(file, row + 1);
    }
    if (rest !== "") yield [checkedText(file, { row: row + 1, cells: rest.split(separator2) })];
  } finally {
    input.destroy();
  }
}
async function* withoutMark(input) {
  input.setEncoding("utf8");
  let first = true;
  for await (const chunk of input) {
    yield first && chunk.startsWith("\uFEFF") ? chunk.slice(1) : chunk;
    first = false;
  }
}
async function* resumed(text, chunks) {
  yield text;
  yield* chunks;
}
function plainRows(file, lines, rowsBefore, separator2) {
  const rows = [];
  let row = rowsBefore;
  for (const line of lines) {
    row += 1;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text === "") continue;
    const record = { row, cells: text.split(separator2) };
    rows.push(foreign.test(text) ? checkedText(file, record) : record);
  }
  return rows;
}
async function* quotedRows(file, text, rowsBefore, delimiter) {
  const source2 = Readable2.from(text);
  const parser = source2.pipe(
    parse({
      delimiter,
      record_delimiter: ["\r\n", "\n"],
      relax_column_count: true,
      max_record_size: longestRecord
    })
  );
  source2.on("error", (error) => parser.destroy(error));
  try {
    let row = rowsBefore;
    let batch = [];
    for await (const cells of parser) {
      row += 1;
      if (cells.length === 1 && cells[0] === "") continue;
      batch.push(checkedText(file, { row, cells }));
      if (batch.length < batchSize2) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } catch (error) {
    throw parserProblem(file, error, rowsBefore);
  } finally {
    source2.destroy();
    parser.destroy();
  }
}
var foreign = /[\0\uFFFD]/;
function checkedText(file, record) {
  const broken2 = record.cells.find((cell) => foreign.test(cell));
  if (broken2 === void 0) return record;
  throw notUtf8(file, { row: record.row, value: broken2 });
}
function tooLong(file, row) {
  return refusal(file, { row }, "a record of more than 16 MiB; this is not a CSV file");
}
var quoteErrors = {
  CSV_QUOTE_NOT_CLOSED: "a quote opens here and is never closed",
  INVALID_OPENING_QUOTE: "a quote inside an unquoted cell",
  CSV_INVALID_CLOSING_QUOTE: "text after a closing quote"
};
function parserProblem(file, error, rowsBefore) {
  const { code, lines } = error;
  if (error instanceof Problem || typeof code !== "string") return error;
  const row = rowsBefore + (lines ?? 1);
  if (code === "CSV_MAX_RECORD_SIZE") return tooLong(file, row);
  if (quoteErrors[code] === void 0 && !code.startsWith("CSV_")) return error;
  return refusal(file, { row }, `broken CSV: ${quoteErrors[code] ?? code}`);
}
function headerOf3(head) {
  const header = cellsOf(head, 0);
  const last = header.findLastIndex((name) => name !== "");
  return header.slice(0, Math.max(last, 0) + 1);
}
function cellsOf(head, index) {
  const { separator: separator2, titles } = dialectOf(head);
  return cellsIn(linesOf(head, titles + index + 1)[titles + index] ?? "", separator2);
}
async function* readCsvBody(file, readHeader4, usual) {
  let known2;
  let empty = true;
  for await (const batch of readCsv(file, usual)) {
    let records = batch;
    if (known2 === void 0) {
      const first = batch[0];
      if (first === void 0) continue;
      known2 = { header: readHeader4(first), width: first.cells.length };
      records = batch.slice(1);
    }
    const { header, width } = known2;
    const rows = records.filter(({ row, cells }) => {
      if (cells[0]?.trim() === "" && cells.every((cell) => cell.trim() === "")) return false;
      if (cells.length === width) return true;
      throw refusal(
        file,
        { row },
        `${cells.length} cells, but the header has ${width}; is the file truncated?`
      );
    });
    if (rows.length === 0) continue;
    empty = false;
    yield { header, rows };
  }
  if (known2 === void 0) throw refusal(file, {}, "the file is empty");
  if (empty) throw refusal(file, {}, "the file has a header and no rows");
}
function placesOf(file, { row, cells }, columns9) {
  const all = [...columns9.required, ...columns9.optional];
  const places = /* @__PURE__ */ new Map();
  for (const [place2, cell] of cells.entries()) {
    const name = all.find((known2) => known2 === cell.trim());
    if (name === void 0) {
      throw refusal(file, { row, column: cell }, `unknown column; the columns are ${all.join(", ")}`);
    }
    if (places.has(name)) throw refusal(file, { row, column: cell }, "this column appears twice");
    places.set(name, place2);
  }
  for (const name of columns9.required) {
    if (!places.has(name)) throw refusal(file, { row, column: name }, "this column is missing");
  }
  return places;
}

// src/import/formats/treasury/csv.ts
init_date();
init_decimal();
init_curve();
var maturityName = /^(\d+(?:\.\d+)?) ?(mo|months?|yrs?|years?)$/i;
var treasuryParCsv = {
  kind: "treasury-par-csv",
  summary: "daily par yield curve of the U.S. Treasury (CSV: Date, 1 Mo \u2026 30 Yr)",
  source: "U.S. Treasury",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => curveTypesOf(head).has("PAR"),
  read: (file) => readCurveCsv(file, layoutOf("PAR"))
};
var treasuryRealCsv = {
  kind: "treasury-real-csv",
  summary: "daily par real (TIPS) yield curve of the U.S. Treasury (CSV: Date, 5 YR \u2026 30 YR)",
  source: "U.S. Treasury",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => curveTypesOf(head).has("TIPS"),
  read: (file) => readCurveCsv(file, layoutOf("TIPS"))
};
function layoutOf(curveType) {
  return {
    source: "U.S. Treasury",
    isDate: (header) => header.toLowerCase() === "date",
    maturity: (header) => maturityIn(header, curveType),
    parseDate: parseTradeDate,
    dateForm: "M/D/YYYY, M/D/YY or YYYY-MM-DD",
    noRate: "N/A"
  };
}
function maturityIn(header, curveType) {
  const [, count = "", unit = ""] = maturityName.exec(header) ?? [];
  return curveMaturity(curveType, count, unit);
}
var parSpelling = /^\d+ Yr$/;
function curveTypesOf(head) {
  const names2 = headerOf3(head);
  const maturities2 = names2.filter((name) => maturityName.test(name));
  if (!names2.includes("Date") || maturities2.length === 0) return /* @__PURE__ */ new Set();
  if (maturities2.some((name) => maturityIn(name, "TIPS") === void 0)) return /* @__PURE__ */ new Set(["PAR"]);
  return new Set(maturities2.every((name) => parSpelling.test(name)) ? ["PAR", "TIPS"] : ["TIPS"]);
}
function parseTradeDate(text) {
  const [, month, day, digits] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
  if (digits === void 0) return parseDay(text);
  return dayOf(Number(digits) + (Number(digits) >= 90 ? 1900 : 2e3), Number(month), Number(day));
}
var rateId = /^(DGS|DFII)(\d+)(MO)?$/i;
var h15Csv = {
  kind: "h15-csv",
  summary: "Treasury curves of the H.15 release (FRED CSV of series DGS\u2026 or DFII\u2026)",
  source: h15Source,
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => {
    const names2 = headerOf3(head);
    return names2.some(isH15Date) && names2.length > 1 && names2.every((name) => isH15Date(name) || isCurveColumn(name));
  },
  read: (file) => readCurveCsv(file, {
    source: h15Source,
    isDate: isH15Date,
    maturity: h15Maturity,
    parseDate: parseDay,
    dateForm: "YYYY-MM-DD",
    noRate: "."
  })
};
function isCurveColumn(name) {
  return rateId.test(name);
}
function isH15Date(header) {
  return /^(?:observation_)?date$/i.test(header);
}
function h15Maturity(header) {
  const [, series = "", count = "", months2] = rateId.exec(header) ?? [];
  return curveMaturity(series.toUpperCase() === "DFII" ? "TIPS" : "PAR", count, months2 ?? "YEAR");
}
async function* readCurveCsv(file, layout) {
  let header;
  const days = /* @__PURE__ */ new Set();
  let isEmpty = true;
  for await (const rows of readCsv(file)) {
    const points = [];
    for (const row of rows) {
      if (header === void 0) header = readHeader(file, layout, row);
      else if (row.cells.some((cell) => cell.trim() !== "")) {
        isEmpty = false;
        appendPoints(points, file, layout, header, row);
      }
    }
    for (const { tradeDate } of points) days.add(tradeDate);
    if (points.length > 0) yield { points };
  }
  if (isEmpty) throw refusal(file, {}, "the file has no row of rates");
  const fault = impossibleDates(days);
  if (fault !== void 0) throw refusal(file, {}, fault);
}
function readHeader(file, layout, { row, cells }) {
  const names2 = cells.map((cell) => cell.trim());
  const date4 = names2.findIndex(layout.isDate);
  if (date4 < 0) throw refusal(file, { row }, "the header has no date column");
  const maturities2 = [];
  for (const [index, column] of names2.entries()) {
    if (index === date4) continue;
    const found = layout.maturity(column);
    if (found === void 0) throw refusal(file, { row, column }, "not a maturity that asof knows");
    const isSame3 = (other) => other.curveType === found.curveType && other.maturity === found.maturity;
    if (maturities2.some(isSame3))
      throw refusal(file, { row, column }, `a second column for ${found.maturity}`);
    maturities2.push({ ...found, index });
  }
  if (maturities2.length === 0) throw refusal(file, { row }, "the header has no column of rates");
  return { names: names2, date: date4, maturities: maturities2 };
}
function appendPoints(points, file, layout, header, { row, cells }) {
  const { names: names2, date: date4, maturities: maturities2 } = header;
  if (cells.length !== names2.length) {
    throw refusal(file, { row }, `${cells.length} cells, but the header has ${names2.length}`);
  }
  const value = (cells[date4] ?? "").trim();
  const tradeDate = layout.parseDate(value);
  if (tradeDate === void 0) {
    throw refusal(
      file,
      { row, column: names2[date4] ?? "", value },
      `not a date of the form ${layout.dateForm}`
    );
  }
  const rates = [];
  for (const { index, curveType, maturity } of maturities2) {
    const text = (cells[index] ?? "").trim();
    if (text === "" || text === layout.noRate) continue;
    const rate = parseDecimal(text);
    if (rate === void 0) {
      const reason = `not a rate; a cell without one is empty or ${JSON.stringify(layout.noRate)}`;
      throw refusal(file, { row, column: names2[index] ?? "", value: text }, reason);
    }
    const point = { curveType, tradeDate, maturity, rate, source: layout.source };
    const fault2 = impossiblePoint(point);
    if (fault2 !== void 0) throw refusal(file, { row, column: names2[index] ?? "", value: text }, fault2);
    rates.push(point);
  }
  const fault = impossibleRates(rates);
  if (fault !== void 0) throw refusal(file, { row, value }, fault);
  points.push(...rates);
}

// src/import/formats/vintage-table.ts
init_date();
init_decimal();
init_series();
init_table_columns();

// src/import/formats/format.ts
init_date();
init_decimal();
init_series();
function notADay(file, place2, form = "YYYY-MM-DD") {
  return refusal(file, place2, faultOfDay(place2.value) ?? `not a date: use ${form}`);
}
function notANumber(file, place2, missing2) {
  const digits = place2.value.replace(/^\((.*)\)$/s, "-$1").replace(/[\s%$€£]/g, "").replace(/,(?=\d{3}(?!\d))/g, "").replace(/^\+/, "").replace(/^(-?)\./, "$10.");
  const meant = parseDecimal(digits);
  const hints = meant === void 0 ? [] : [`write ${meant}: a number has digits, a decimal point and a minus sign`];
  return refusal(file, place2, `neither a decimal number nor ${missing2}`, hints);
}
function notAnId(file, place2) {
  const text = place2.value ?? place2.column ?? "";
  const reason = text.includes("\r") ? "the lines of the file end with CR alone" : `not a series id: ${seriesIdForm}`;
  return refusal(file, place2, reason, text.includes("\r") ? ["save it with line ends LF or CRLF"] : []);
}

// src/import/formats/vintage-table.ts
var batchSize3 = 5e3;
var fredCells = {
  number: parseDecimal,
  withdrawals: /* @__PURE__ */ new Set([".", "#N/A", "NA"])
};
function* vintageBatches(file, table, rules) {
  refuseRepeats(file, table);
  const cells = readCells(file, table, rules);
  const readings = readingsOf(table, cells, rules);
  yield {
    implied: Array.from(readings).flatMap(
      ([seriesId, { implied }]) => implied === "" ? [] : [{ seriesId, frequency: implied }]
    ),
    coverage: table.columns.map(({ seriesId, vintage }) => ({ seriesId, coveredTo: vintage, whole: true }))
  };
  let statements = [];
  for (const [index, { seriesId, vintage: asOf }] of table.columns.entries()) {
    const values = cells[index] ?? [];
    const speaksFor = readings.get(seriesId)?.speaksFor;
    for (const [row, { date: date4 }] of table.rows.entries()) {
      const value = values[row] ?? null;
      if (value !== null || speaksFor === void 0 || speaksFor(date4))
        statements.push({ seriesId, date: date4, asOf, value });
    }
    if (statements.length < batchSize3) continue;
    yield { statements };
    statements = [];
  }
  if (statements.length > 0) yield { statements };
}
function refuseRepeats(file, { columns: columns9, rows }) {
  const vintages = /* @__PURE__ */ new Map();
  for (const { name, seriesId, vintage } of columns9) {
    const key = `${seriesId} ${vintage}`;
    const before = vintages.get(key);
    if (before !== void 0) {
      const reason = before === name ? "two columns have this name" : `column ${before} already has ${seriesId} as of ${vintage}`;
      throw refusal(file, { column: name }, reason, ["remove one of them, or name it for its own series"]);
    }
    vintages.set(key, name);
  }
  const dates = /* @__PURE__ */ new Map();
  for (const { row, date: date4 } of rows) {
    const before = dates.get(date4);
    if (before !== void 0)
      throw refusal(file, { row, value: date4 }, `row ${before} already has this date`);
    dates.set(date4, row);
  }
}
function readCells(file, { columns: columns9, rows }, rules) {
  return columns9.map(
    ({ name }, index) => rows.map(({ row, cells }) => {
      const text = (cells[index] ?? "").trim();
      if (text === "") return void 0;
      if (rules.withdrawals.has(text)) return null;
      const value = rules.number(text);
      if (value !== void 0) return value;
      throw notANumber(
        file,
        { row, column: name, value: text },
        [...rules.withdrawals, "blank"].join(" or ")
      );
    })
  );
}
function readingsOf({ columns: columns9, rows }, cells, { frequency, rowFrequency }) {
  if (frequency !== void 0)
    return new Map(columns9.map(({ seriesId }) => [seriesId, { implied: frequency, speaksFor: () => true }]));
  const figures = /* @__PURE__ */ new Map();
  const entries = /* @__PURE__ */ new Map();
  for (const [index, { seriesId }] of columns9.entries()) {
    const days = figures.get(seriesId) ?? /* @__PURE__ */ new Set();
    const all = entries.get(seriesId) ?? /* @__PURE__ */ new Set();
    figures.set(seriesId, days);
    entries.set(seriesId, all);
    for (const [row, { date: date4 }] of rows.entries()) {
      const value = cells[index]?.[row];
      if (value !== void 0) all.add(date4);
      if (typeof value === "string") days.add(date4);
    }
  }
  for (const [seriesId, days] of figures)
    if (days.size < 2) figures.set(seriesId, entries.get(seriesId) ?? days);
  const dates = rows.map(({ date: date4 }) => date4);
  return readColumns(dates, figures, rowFrequency);
}
var isoDates = {
  date: parseDay,
  dateForm: "YYYY-MM-DD",
  isNote: () => false
};
async function readVintageCsv(file, layout) {
  const rows = [];
  let columns9 = [];
  const { dateOrder: dateOrder2 } = layout;
  for await (const batch of readCsvBody(file, (header) => columnsOf2(file, header, layout), dateOrder2)) {
    columns9 = batch.header;
    for (const { row, cells } of batch.rows) {
      const label = (cells[0] ?? "").trim();
      if (rows.length === 0 && layout.isNote(label)) continue;
      const date4 = layout.date(label);
      if (date4 === void 0) throw notADay(file, { row, value: label }, layout.dateForm);
      rows.push({ row, date: date4, cells: cells.slice(1) });
    }
  }
  if (rows.length === 0) throw refusal(file, {}, "the file has a header and no rows of figures");
  return { columns: columns9, rows };
}
function columnsOf2(file, header, layout) {
  const names2 = header.cells.slice(1).map((cell) => cell.trim());
  if (names2.length === 0) throw refusal(file, { row: header.row }, "the file has dates and no series");
  return names2.map((name) => ({ name, ...layout.column(name) }));
}
function columnId(file, name) {
  const seriesId = parseSeriesId(name);
  if (seriesId === void 0) throw notAnId(file, { row: 1, column: name });
  return seriesId;
}
function seriesOf3(file, name, { series }) {
  if (!isValue(name)) {
    const id = columnId(file, name);
    if (series === void 0 || series === id) return id;
    const reason = `the file names its series ${id}; --id ${id}=${series} imports it as ${series}`;
    throw refusal(file, { row: 1, column: name }, reason);
  }
  if (series !== void 0) return columnId(file, series);
  throw refusal(file, { row: 1, column: name }, "the file does not name its series; pass --series ID");
}
function isValue(name) {
  return name.toUpperCase() === "VALUE";
}
function unknownVintage(file, reason) {
  return refusal(file, {}, `${reason}; pass --as-of`, ["asof import FILE --as-of YYYY-MM-DD"]);
}

// src/import/formats/fred/csv.ts
var fredCsv = {
  kind: "fred-csv",
  summary: "FRED download (observation_date,GDP), one vintage per file; its date is --as-of",
  source: "FRED",
  vintageKind: "fetched",
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise(head) {
    const [date4, ...columns9] = headerOf3(head);
    if (!isDateColumn2(date4) || columns9.length === 0 || columns9.some(isRealTimeColumn)) return false;
    if (columns9.some((name) => parseDay(name) !== void 0)) return false;
    if (columns9.every((name) => /\d\d(?:Q[1-4]|M\d\d?)$/i.test(name))) return false;
    return !columns9.some(isVintageColumn) && !columns9.every(isCurveColumn);
  },
  async *read(file, options) {
    const { asOf: vintage } = options;
    if (vintage === void 0)
      throw unknownVintage(file, "the file does not state when its figures were known");
    const table = await readVintageCsv(file, {
      ...isoDates,
      // In some years FRED named the only column VALUE, for any series.
      column: (name) => ({ seriesId: seriesOf3(file, name, options), vintage })
    });
    yield* vintageBatches(file, table, fredCells);
  }
};
var alfredWide = {
  kind: "alfred-wide",
  summary: "ALFRED download (observation_date,GDPC1_20150130,\u2026), one vintage per column",
  source: "FRED",
  vintageKind: "exact",
  whole: true,
  takesAsOf: false,
  recognise(head) {
    const [date4, ...columns9] = headerOf3(head);
    return isDateColumn2(date4) && columns9.some(isVintageColumn);
  },
  async *read(file) {
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => {
        const parts = splitVintageColumn(name);
        if (parts !== void 0) return { seriesId: columnId(file, parts.series), vintage: parts.vintage };
        const reason = "not a series and its vintage date, such as GDPC1_20150130";
        throw refusal(file, { row: 1, column: name }, reason);
      }
    });
    yield* vintageBatches(file, table, fredCells);
  }
};
function isRealTimeColumn(name) {
  return /^realtime_(?:start|end)(?:_date)?$/i.test(name);
}
function isDateColumn2(name) {
  return name === "observation_date" || name === "DATE";
}
var vintageColumn = /^(.+)_(?=\d{8}$|\d{4}-\d\d-\d\d$)(\d{4})-?(\d\d)-?(\d\d)$/;
function isVintageColumn(name) {
  return vintageColumn.test(name);
}
function splitVintageColumn(name) {
  const [, series, year, month, day] = vintageColumn.exec(name) ?? [];
  const vintage = parseDay(`${year}-${month}-${day}`);
  return series === void 0 || vintage === void 0 ? void 0 : { series, vintage };
}

// src/import/formats/fred/observations.ts
init_date();
init_decimal();
init_series();

// src/import/readers/json.ts
function isJsonObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
async function readJsonObject(file) {
  const content = await file.bytes();
  let value;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content));
  } catch (error) {
    if (error instanceof SyntaxError) throw refusal(file, {}, `broken JSON: ${error.message}`);
    if (error instanceof TypeError) throw notUtf8(file);
    throw error;
  }
  if (!isJsonObject(value)) throw refusal(file, {}, "this JSON is not an object");
  return value;
}
function listField(file, object, name) {
  const list2 = object[name];
  if (!Array.isArray(list2)) throw missing(file, { column: name }, list2);
  return list2.map((entry, index) => {
    if (isJsonObject(entry)) return entry;
    throw refusal(file, { row: index + 1, column: name, value: shown(entry) }, "this entry is not an object");
  });
}
function textField(file, object, name, row) {
  const value = object[name];
  if (typeof value === "string") return value;
  throw missing(file, { column: name, ...row !== void 0 && { row } }, value);
}
function numberField(file, object, name) {
  const value = object[name];
  if (typeof value === "number") return value;
  throw missing(file, { column: name }, value);
}
function missing(file, place2, value) {
  if (value === void 0) return refusal(file, place2, "this field is missing");
  return refusal(file, { ...place2, value: shown(value) }, "this field has an unexpected value");
}
function shown(value) {
  return JSON.stringify(value);
}

// src/import/formats/fred/periods.ts
init_date();
init_decimal();
init_table_columns();
var alfredPeriods = {
  kind: "alfred-periods",
  summary: "ALFRED download by real-time period, and CSV of fredapi and pyfredapi (realtime_start, date, value)",
  source: "FRED",
  vintageKind: "exact",
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) => {
    const places = placesIn(headerOf3(head));
    return places !== void 0 && !isFirstReleases(places);
  },
  read: readPeriods
};
var alfredFirstReleases = {
  kind: "alfred-first-releases",
  summary: "ALFRED download of first releases only (period_start_date,ICSA,realtime_start_date)",
  source: "FRED",
  vintageKind: "sampled",
  whole: false,
  takesAsOf: false,
  recognise: (head) => {
    const places = placesIn(headerOf3(head));
    return places !== void 0 && isFirstReleases(places);
  },
  async *read(file, options) {
    yield { notes: ["first releases only: later revisions are not in this file"] };
    yield* readPeriods(file, options);
  }
};
var indexName = /^(?:|index|unnamed: ?\d+)$/i;
function placesIn(header) {
  const names2 = header.map((name) => name.trim());
  const date4 = names2.findIndex((name) => /^(?:observation_|period_start_)?date$/i.test(name));
  const start = names2.findIndex((name) => /^realtime_start(?:_date)?$/i.test(name));
  const end = names2.findIndex((name) => /^realtime_end(?:_date)?$/i.test(name));
  if (date4 < 0 || start < 0) return void 0;
  const others = [...names2.keys()].filter(
    (index) => ![date4, start, end].includes(index) && !indexName.test(names2[index] ?? "")
  );
  const [value, ...more] = others;
  return value === void 0 || more.length > 0 ? void 0 : { date: date4, start, end, value, names: names2 };
}
function isFirstReleases({ end, value, names: names2 }) {
  return end < 0 && names2[value]?.toLowerCase() !== "value";
}
async function* readPeriods(file, options) {
  const rows = [];
  let places;
  for await (const batch of readCsvBody(file, (header) => placesOf2(file, header))) {
    places = batch.header;
    for (const row of batch.rows) rows.push(readRow(file, row, batch.header));
  }
  if (places === void 0) return;
  const { names: names2, value, start, end: endColumn } = places;
  const seriesId = seriesOf3(file, names2[value] ?? "", options);
  const end = rows.map((row) => row.end).sort().at(-1) ?? notEnded;
  const history = { end, rows };
  if (endColumn >= 0) refuseGaps(file, history, { start: names2[start] ?? "", end: names2[endColumn] ?? "" });
  yield* historyBatches(seriesId, history);
}
function placesOf2(file, { row, cells }) {
  const places = placesIn(cells);
  if (places !== void 0) return places;
  const reason = "the columns of real-time periods are a date, realtime_start, realtime_end and one of values";
  throw refusal(file, { row }, reason);
}
function readRow(file, { row, cells }, places) {
  const textOf6 = (place2) => (cells[place2] ?? "").trim().replace(/[T ]00:00:00(?:\.0+)?$/, "");
  const dayAt = (place2) => {
    const value2 = textOf6(place2);
    const day = parseDay(value2);
    if (day !== void 0) return day;
    throw notADay(file, { row, column: places.names[place2] ?? "", value: value2 });
  };
  const endText = places.end < 0 ? "" : textOf6(places.end);
  const end = /^(?:|\.|current|NaT)$/i.test(endText) ? notEnded : parseEnd(endText);
  if (end === void 0) throw notADay(file, { row, column: places.names[places.end] ?? "", value: endText });
  const text = textOf6(places.value);
  const value = /^(?:|\.|NA|#N\/A)$/.test(text) ? null : parseDecimal(text);
  if (value === void 0) {
    const place2 = { row, column: places.names[places.value] ?? "", value: text };
    throw notANumber(file, place2, ". (not available)");
  }
  return { row, date: dayAt(places.date), start: dayAt(places.start), end, value };
}
var batchSize4 = 5e3;
var notEnded = "9999-12-31";
function* historyBatches(seriesId, history) {
  const { rows } = history;
  const kind = history.start === history.end ? "fetched" : void 0;
  const frequency = provenFrequency(new Set(rows.map(({ date: date4 }) => date4)));
  yield {
    implied: frequency === "" ? [] : [{ seriesId, frequency }],
    coverage: [{ seriesId, coveredTo: coveredTo(history) }]
  };
  for (let start = 0; start < rows.length; start += batchSize4) {
    yield {
      statements: rows.slice(start, start + batchSize4).map(
        ({ date: date4, start: asOf, value }) => ({
          seriesId,
          date: date4,
          asOf,
          value,
          ...kind && { kind }
        })
      )
    };
  }
}
function coveredTo({ end, rows }) {
  if (end !== notEnded) return end;
  let last = "";
  for (const { start } of rows) if (start > last) last = start;
  return last;
}
function parseEnd(text) {
  return text === notEnded ? notEnded : parseDay(text);
}
function refuseGaps(file, { end, rows }, columns9) {
  const at = ({ row, end: value }) => ({ row, column: columns9.end, value });
  const ordered = [...rows].sort((a, b) => compare(a.date, b.date) || compare(a.start, b.start));
  for (const [index, period3] of ordered.entries()) {
    if (period3.end < period3.start)
      throw refusal(file, at(period3), `the period ends before it starts, ${period3.start}`);
    const successor = ordered[index + 1];
    const next = successor?.date === period3.date ? successor : void 0;
    if (next !== void 0 && next.start <= period3.end) {
      const reason2 = `the period of ${next.date} from ${next.start} overlaps the one in row ${period3.row}`;
      throw refusal(file, { row: next.row, column: columns9.start, value: next.start }, reason2);
    }
    if (period3.end === end) continue;
    if (next?.start === addDays(period3.end, 1)) continue;
    const following = next === void 0 ? "nothing follows" : `the next, row ${next.row}, begins on ${next.start}`;
    const reason = `the period of ${period3.date} ends before the response does (${end}), and ${following}`;
    throw refusal(file, at(period3), reason);
  }
}
function compare(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

// src/import/formats/fred/series.ts
init_series();

// src/import/readers/xml.ts
async function parseXml(file, bytes, lists2) {
  const { XMLParser, XMLValidator } = await import("fast-xml-parser");
  const text = decode(file, bytes);
  if (/<!DOCTYPE/i.test(text))
    throw refusal(file, {}, "XML with a document type declaration is not read; remove its DOCTYPE");
  const valid = XMLValidator.validate(text);
  if (valid !== true) throw invalid(file, valid.err);
  const parser = new XMLParser({
    parseTagValue: false,
    processEntities: false,
    ignoreAttributes: false,
    removeNSPrefix: true,
    captureMetaData: true,
    isArray: (name) => lists2.includes(name)
  });
  try {
    const root2 = parser.parse(text);
    const position = XMLParser.getMetaDataSymbol().valueOf();
    const lineOf = (part) => lineAt(text, Reflect.get(Object(part), position));
    return { root: isNode(root2) ? root2 : {}, lineOf };
  } catch (error) {
    throw broken(file, error instanceof Error ? error.message : String(error));
  }
}
function decode(file, bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r\n?/g, "\n");
  } catch {
    throw notUtf8(file);
  }
}
function lineAt(text, position) {
  const start = isNode(position) ? position.startIndex : void 0;
  return typeof start === "number" ? text.slice(0, start).split("\n").length : void 0;
}
function invalid(file, { msg, line }) {
  const open = msg.startsWith("Invalid '[") ? [...msg.matchAll(/"([^"]+)"/g)].map(([, name]) => name) : [];
  if (open.length > 0) return broken(file, `it ends within ${open.join(" > ")}`);
  return broken(file, msg, line);
}
function broken(file, message, row) {
  const reason = `the XML is broken or cut short: ${message.replace(/\s+/g, " ")}`;
  return refusal(file, row === void 0 ? {} : { row }, reason);
}
function isNode(part) {
  return typeof part === "object" && part !== null && !Array.isArray(part);
}
function listOf(part) {
  if (part === void 0) return [];
  return Array.isArray(part) ? part : [part];
}
function textOf2(part) {
  if (typeof part === "string") return part.trim();
  if (!isNode(part) || Object.keys(part).some((name) => name !== "#text" && !name.startsWith("@_")))
    return void 0;
  const text = part["#text"] ?? "";
  return typeof text === "string" ? text.trim() : void 0;
}
var XmlFields = class _XmlFields {
  #file;
  #document;
  /** The element, then the elements around it. */
  #nodes;
  constructor(file, document, node, around = []) {
    this.#file = file;
    this.#document = document;
    this.#nodes = [node, ...around];
  }
  /** The text at `a/b/value` below the element, blanks collapsed; empty if a part of the path is absent. */
  text(path) {
    return this.#textAt(this.#find(path));
  }
  /** The text at a path as `parse` reads it; null if it is empty, refused as `not ${what}` if `parse` fails. */
  parsed(path, parse2, what) {
    const found = this.#find(path);
    const text = this.#textAt(found);
    if (text === "") return null;
    const value = parse2(text);
    if (value === void 0) throw this.#refusal(found, `not ${what}`, text);
    return value;
  }
  /** As `parsed`, but an empty text is refused. */
  required(path, parse2, what) {
    const value = this.parsed(path, parse2, what);
    if (value === null) throw this.#refusal(this.#find(path), `${what} is missing here`);
    return value;
  }
  /** The elements at a path that may repeat, in order. */
  all(path) {
    const found = this.#find(path);
    return listOf(found.part).map((element) => {
      if (isNode(element)) return new _XmlFields(this.#file, this.#document, element, this.#nodes);
      throw this.#refusal(found, "an empty element");
    });
  }
  #find(path) {
    let found = { part: this.#nodes[0], column: "", passed: [] };
    for (const name of path.split("/")) {
      const { part, passed } = found;
      const column = name === "value" ? found.column : name;
      if (part === void 0 || part === "") return { part: void 0, column, passed };
      const here = { part, column, passed };
      if (Array.isArray(part)) throw this.#refusal(here, "the element around it appears twice");
      if (!isNode(part)) throw this.#refusal(here, "text instead of this element");
      const next = Object.hasOwn(part, name) ? part[name] : void 0;
      found = { part: next, column, passed: [...passed, ...listOf(next)] };
    }
    return found;
  }
  #textAt(found) {
    if (found.part === void 0) return "";
    if (Array.isArray(found.part)) throw this.#refusal(found, "the element appears twice");
    const value = textOf2(found.part);
    if (value === void 0) throw this.#refusal(found, "elements instead of a text");
    const plain2 = resolveEntities(value);
    if (plain2 === void 0) throw this.#refusal(found, "an entity that XML does not define", value);
    return plain2.replace(/\s+/g, " ").trim();
  }
  /** Names the line of the innermost element that has one. */
  #refusal(found, reason, value) {
    const place2 = { column: found.column, ...value !== void 0 && { value } };
    for (const part of [...found.passed.toReversed(), ...this.#nodes]) {
      const row = this.#document.lineOf(part);
      if (row !== void 0) return refusal(this.#file, { ...place2, row }, reason);
    }
    return refusal(this.#file, place2, reason);
  }
};
var entities = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
function resolveEntities(text) {
  let known2 = true;
  const plain2 = text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));?/gi,
    (entity, hex, decimal, name = "") => {
      const code = hex === void 0 ? Number(decimal) : Number.parseInt(hex, 16);
      const character = decimal === void 0 && hex === void 0 ? entities[name] : characterOf(code);
      if (character === void 0 || !entity.endsWith(";")) known2 = false;
      return character ?? "";
    }
  );
  return known2 ? plain2 : void 0;
}
function characterOf(code) {
  const allowed = code === 9 || code === 10 || code === 13 || code >= 32 && code <= 1114111;
  return allowed && !(code >= 55296 && code <= 57343) ? String.fromCodePoint(code) : void 0;
}

// src/import/formats/fred/series.ts
var fredSeries = {
  kind: "fred-series",
  summary: 'FRED API series descriptions (JSON or XML with "seriess")',
  source: "FRED",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => isXmlResponse(head, "seriess") || /^\s*\{/.test(head) && holdsSeries(head),
  async *read(file) {
    yield { metadata: await readFredSeries(file) };
  }
};
function holdsSeries(head) {
  return /(?<!\\)"seriess"\s*:\s*\[/.test(head) && !/(?<!\\)"observations"\s*:\s*\[/.test(head);
}
async function readFredSeries(file) {
  const latest = /* @__PURE__ */ new Map();
  const entries = listField(file, await readFredResponse(file), "seriess");
  for (const [index, entry] of entries.entries()) {
    const metadata = readEntry(file, entry, index + 1);
    const end = textOf3(entry, "realtime_end") ?? "";
    const known2 = latest.get(metadata.seriesId);
    if (known2 === void 0 || known2.end <= end) latest.set(metadata.seriesId, { end, metadata });
  }
  return Array.from(latest.values(), ({ metadata }) => metadata);
}
function readEntry(file, entry, row) {
  const id = textOf3(entry, "id") ?? "";
  const seriesId = parseSeriesId(id);
  if (seriesId === void 0) throw notAnId(file, { row, column: "id", value: id });
  const title = textOf3(entry, "title");
  const units = textOf3(entry, "units");
  const frequency = parseFrequency(textOf3(entry, "frequency_short") ?? "");
  const adjustment = textOf3(entry, "seasonal_adjustment_short") ?? textOf3(entry, "seasonal_adjustment");
  return {
    seriesId,
    ...title !== void 0 && { title },
    ...units !== void 0 && { units },
    ...frequency !== void 0 && { frequency },
    ...adjustment !== void 0 && { seasonalAdjustment: adjustment },
    source: "FRED"
  };
}
function textOf3(entry, name) {
  const value = entry[name];
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? void 0 : text;
}
function isXmlResponse(head, root2) {
  return new RegExp(`^\\s*(?:<\\?xml[^>]*>\\s*)?<${root2}\\b[^>]*\\brealtime_start=`).test(head);
}
async function readFredResponse(file) {
  const head = (await file.head()).toString("latin1").replace(/^\u00EF\u00BB\u00BF/, "");
  if (!/^\s*</.test(head)) return readJsonObject(file);
  const { root: root2 } = await parseXml(file, await file.bytes(), ["observation", "series"]);
  for (const [name, child] of [
    ["observations", "observation"],
    ["seriess", "series"]
  ]) {
    const element = root2[name];
    if (isNode(element))
      return { ...attributesOf(element), [name]: listOf(element[child]).map(attributesOf) };
  }
  throw refusal(file, {}, "neither observations nor descriptions of series of the FRED API");
}
var counts = /* @__PURE__ */ new Set(["count", "offset", "limit", "output_type"]);
function attributesOf(element) {
  const attributes = isNode(element) ? Object.entries(element).filter(([name]) => name.startsWith("@_")) : [];
  return Object.fromEntries(
    attributes.map(([attribute, value]) => {
      const name = attribute.slice(2);
      const isCount = counts.has(name) && typeof value === "string" && /^\d+$/.test(value);
      return [name, isCount ? Number(value) : plain(value)];
    })
  );
}
var entities2 = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
function plain(value) {
  if (typeof value !== "string") return value;
  return value.replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => entities2[name] ?? "");
}

// src/import/formats/fred/observations.ts
var fredApi = {
  kind: "fred-api",
  summary: "FRED API observations (JSON or XML, with real-time periods or by vintage date)",
  source: "FRED",
  vintageKind: "exact",
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) => isXmlResponse(head, "observations") || /^\s*\{/.test(head) && /(?<!\\)"observations"\s*:\s*\[/.test(head) && /"realtime_start"\s*:/.test(head),
  async *read(file, options) {
    const response = await readFredResponse(file);
    const observations = listField(file, response, "observations");
    const outputType = numberField(file, response, "output_type");
    refuseOtherRequests(file, response, outputType);
    if (observations.length === 0)
      throw refusal(file, { column: "observations" }, "the response has no observations");
    if (outputType > 1) {
      yield* vintageResponse(file, response, observations, options);
      return;
    }
    const history = readHistory(file, response, observations);
    const { seriesId, metadata } = await seriesOf4(file, options);
    yield { metadata };
    yield* historyBatches(seriesId, history);
  }
};
async function seriesOf4(file, options) {
  if (options.series !== void 0) {
    const seriesId = parseSeriesId(options.series);
    if (seriesId !== void 0) return { seriesId, metadata: [] };
    throw notAnId(file, { value: options.series });
  }
  const candidates = await describedBeside(file);
  const named = candidates.filter(({ seriesId }) => beginsWithId(seriesId, file.name));
  const [only2, ...others] = named.length > 0 ? named : candidates;
  if (only2 !== void 0 && others.length === 0 && (named.length > 0 || !beginsWithSomeId(file.name))) {
    return { seriesId: only2.seriesId, metadata: [only2] };
  }
  const found = candidates.map(({ seriesId }) => seriesId).join(", ");
  const beside = found === "" ? "no series description is beside it" : `the files beside it describe ${found}`;
  throw refusal(file, {}, `the response does not name its series, and ${beside}; pass --series ID`);
}
async function describedBeside(file) {
  const described2 = /* @__PURE__ */ new Map();
  for (const sibling of await file.siblings()) {
    if (!/\.json$/i.test(sibling.name)) continue;
    if (!holdsSeries((await sibling.head()).toString("latin1"))) continue;
    const [series, ...others] = await readFredSeries(sibling);
    if (series !== void 0 && others.length === 0) described2.set(series.seriesId, series);
  }
  return [...described2.values()];
}
function beginsWithId(seriesId, name) {
  const upper = name.toUpperCase();
  return upper.startsWith(seriesId) && !/[A-Z0-9]/.test(upper.charAt(seriesId.length));
}
function beginsWithSomeId(name) {
  return /^[A-Z][A-Z0-9]+(?![A-Za-z0-9])/.test(name);
}
function readHistory(file, response, observations) {
  refuseCut(file, response, observations.length);
  const start = dayField(file, response, "realtime_start");
  const end = endField(file, response);
  const rows = observations.map((observation, index) => readObservation(file, observation, index + 1));
  const outside = rows.find(({ start: from, end: to }) => from < start || to > end);
  if (outside !== void 0) {
    const reason = `${outside.start} to ${outside.end} is outside the response's real-time period, ${start} to ${end}`;
    throw refusal(file, { row: outside.row, column: "realtime_end", value: outside.end }, reason);
  }
  const history = { start, end, rows };
  refuseGaps(file, history, { start: "realtime_start", end: "realtime_end" });
  return history;
}
function refuseCut(file, response, rows) {
  const count = numberField(file, response, "count");
  if (count <= rows) return;
  const reason = `the response has ${rows} of ${count} observations; request it again with limit=100000&offset=0`;
  throw refusal(file, { column: "count", value: String(count) }, reason);
}
function refuseOtherRequests(file, response, outputType) {
  const units = textField(file, response, "units");
  if (units !== "lin") {
    const reason = "these are changes, not the published values; request them again with units=lin";
    throw refusal(file, { column: "units", value: units }, reason);
  }
  if (outputType < 1 || outputType > 3) {
    const reason = "only output_type=1 has every real-time period; request it again with that";
    throw refusal(file, { column: "output_type", value: String(outputType) }, reason);
  }
}
function* vintageResponse(file, response, observations, options) {
  const outputType = numberField(file, response, "output_type");
  const names2 = [...new Set(observations.flatMap((observation) => Object.keys(observation)))].filter(
    (name) => name !== "date"
  );
  const columns9 = names2.map((name) => {
    const parts = splitVintageColumn(name);
    if (parts !== void 0)
      return { name, seriesId: seriesOf3(file, parts.series, options), vintage: parts.vintage };
    throw refusal(file, { column: name }, "not a series and its vintage date, such as GDP_20150130");
  });
  const rows = observations.map((observation, index) => {
    const row = index + 1;
    const cells = names2.map((name) => name in observation ? textField(file, observation, name, row) : "");
    return { row, date: dayField(file, observation, "date", row), cells };
  });
  const figures = rows.reduce((sum, { cells }) => sum + cells.filter((cell) => cell !== "").length, 0);
  refuseCut(file, response, Math.max(figures, rows.length));
  if (outputType === 2) yield* vintageBatches(file, { columns: columns9, rows }, fredCells);
  else yield changesIn(file, columns9, rows);
}
function changesIn(file, columns9, rows) {
  const statements = columns9.flatMap(
    ({ name, seriesId, vintage: asOf }, index) => rows.flatMap(({ row, date: date4, cells }) => {
      const text = cells[index] ?? "";
      return text === "" ? [] : [{ seriesId, date: date4, asOf, value: numberOrDot(file, text, row, name) }];
    })
  );
  const coverage = columns9.map(({ seriesId, vintage }) => ({ seriesId, coveredTo: vintage }));
  return { coverage, statements };
}
function readObservation(file, observation, row) {
  const date4 = dayField(file, observation, "date", row);
  const start = dayField(file, observation, "realtime_start", row);
  const end = endField(file, observation, row);
  const value = numberOrDot(file, textField(file, observation, "value", row), row, "value");
  return { row, date: date4, start, end, value };
}
function numberOrDot(file, text, row, column) {
  const value = text === "." ? null : parseDecimal(text);
  if (value !== void 0) return value;
  throw notANumber(file, { row, column, value: text }, ". (not available)");
}
function dayField(file, object, column, row) {
  const value = textField(file, object, column, row);
  const day = parseDay(value);
  if (day !== void 0) return day;
  throw notADay(file, { column, value, ...row !== void 0 && { row } });
}
function endField(file, object, row) {
  return object.realtime_end === notEnded ? notEnded : dayField(file, object, "realtime_end", row);
}

// src/import/formats/fred/readme.ts
init_series();
var alfredReadme = {
  kind: "alfred-readme",
  summary: "README of an ALFRED download (title, units, frequency and seasonal adjustment of its series)",
  source: "FRED",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => isReadme(head),
  async *read(file) {
    const text = new TextDecoder("utf-8").decode(await file.bytes());
    yield { metadata: [readReadme(file, text)] };
  }
};
function isReadme(text) {
  return /^Series ID: *\S/m.test(text) && /^Title\b/m.test(text) && /alfred|archival federal reserve/i.test(text);
}
function readReadme(file, text) {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const id = lines.map((line) => /^Series ID: *(\S+)/.exec(line)?.[1]).find((found) => found !== void 0) ?? "";
  const seriesId = parseSeriesId(id);
  if (seriesId === void 0) throw notAnId(file, { column: "Series ID", value: id });
  const title = currentOf(lines, "Title");
  const units = currentOf(lines, "Units");
  const frequency = frequencies2[/^[\w-]+/.exec(currentOf(lines, "Frequency") ?? "")?.[0] ?? ""];
  const adjustment = currentOf(lines, "Seasonal Adjustment");
  return {
    seriesId,
    ...title !== void 0 && { title },
    ...units !== void 0 && { units },
    ...frequency !== void 0 && { frequency },
    ...adjustment !== void 0 && { seasonalAdjustment: adjustments[adjustment] ?? adjustment },
    source: "FRED"
  };
}
var headings = /^(?:Title|Source|Release|Units|Frequency|Seasonal Adjustment|Notes|Vintage Dates Specified:|-{5,}.*)(?:\s{2,}Real-Time.*)?$/;
var period = /\s+(\d{4}-\d\d-\d\d)\s+(\d{4}-\d\d-\d\d|Current)$/;
function currentOf(lines, heading) {
  const beside = lines.find((line) => line.startsWith(`${heading}: `))?.slice(heading.length + 1).trim();
  if (beside !== void 0) return beside;
  const start = lines.findIndex((line) => line.replace(/\s{2,}Real-Time.*$/, "") === heading);
  if (start < 0) return void 0;
  const end = lines.findIndex((line, i) => i > start && headings.test(line));
  const section = lines.slice(start + 1, end < 0 ? void 0 : end).filter((line) => line !== "");
  const entries = [];
  for (const line of section) {
    const text = line.replace(period, "");
    if (entries.length === 0 || text !== line) entries.push(text);
    else entries.push(`${entries.pop()} ${text}`);
  }
  return entries.at(-1);
}
var frequencies2 = {
  Daily: "D",
  Weekly: "W",
  Biweekly: "BW",
  Monthly: "M",
  Quarterly: "Q",
  Semiannual: "SA",
  Annual: "A"
};
var adjustments = {
  "Seasonally Adjusted": "SA",
  "Not Seasonally Adjusted": "NSA",
  "Seasonally Adjusted Annual Rate": "SAAR",
  "Smoothed Seasonally Adjusted": "SSA",
  "Not Applicable": "NA"
};

// src/import/formats/fred/workbook.ts
init_decimal();
import { Readable as Readable3 } from "node:stream";
var alfredSheet = /^(?:vintages?\b|obs\b|.*real-?time|.*initial)/i;
var alfredWorkbook = {
  kind: "alfred-xlsx",
  summary: "ALFRED download as a workbook, in any of its layouts",
  source: "FRED",
  vintageKind: "exact",
  whole: false,
  takesAsOf: false,
  takesSeries: true,
  recognise: (head) => sheetNamesIn(head).some((name) => alfredSheet.test(name)) || hasSheetOf(head, alfredLayouts()),
  read: (file, options) => readWorkbook(file, options, alfredLayouts())
};
var alfredLayouts = () => [alfredWide, alfredPeriods, alfredFirstReleases];
var fredLayouts = () => [fredCsv, h15Csv];
function hasSheetOf(head, layouts) {
  return sheetHeadersIn(head).some((header) => layouts.some((layout) => layout.recognise(`${header}
`, "")));
}
var fredWorkbook = {
  kind: "fred-xlsx",
  summary: "FRED download as a workbook (fredgraph.xlsx), one vintage per file; its date is --as-of",
  source: "FRED",
  vintageKind: "fetched",
  whole: true,
  takesAsOf: true,
  recognise: (head) => {
    const names2 = sheetNamesIn(head);
    const isNamed = names2.some((name) => /^(?:README|FRED Graph)$/i.test(name));
    return (isNamed || hasSheetOf(head, fredLayouts())) && !alfredWorkbook.recognise(head, "");
  },
  read: (file, options) => readWorkbook(file, options, fredLayouts())
};
async function* readWorkbook(file, options, layouts) {
  let figures = 0;
  for (const sheet of await readSheets(file)) {
    if (/^README/i.test(sheet.name)) {
      const text = sheet.rows.map((row) => row.map((cell) => String(cell ?? "")).join("  ")).join("\n");
      if (/^Series ID: ?\S/m.test(text)) yield { metadata: [readReadme(file, text)] };
      continue;
    }
    const csv = textOf4(file, sheet);
    const found = layouts.find((layout) => layout.recognise(csv.head, file.name));
    if (found === void 0)
      throw refusal(
        { path: `${file.path}/${sheet.name}` },
        {},
        "not a sheet of FRED or ALFRED: no column observation_date or period_start_date"
      );
    const isSampled = found.vintageKind === "sampled";
    for await (const batch of found.read(csv.file, options)) yield isSampled ? sampled(batch) : batch;
    figures += 1;
  }
  if (figures === 0) throw refusal(file, {}, "the workbook has no sheet of figures");
}
function sampled(batch) {
  const { statements } = batch;
  if (statements === void 0) return batch;
  return { ...batch, statements: statements.map((statement) => ({ ...statement, kind: "sampled" })) };
}
function textOf4(file, { name, rows }) {
  const start = rows.findIndex((row) => isDateColumn(String(row[0] ?? "")));
  const lines = rows.map(
    (row, index) => index < start || row.every((cell) => cell === null) ? "" : row.map(cellText).join(",")
  );
  const bytes = Buffer.from(`${lines.join("\n")}
`);
  return {
    head: lines.slice(Math.max(start, 0)).join("\n").slice(0, 64 * 1024),
    file: {
      ...file,
      path: `${file.path}/${name}`,
      size: bytes.length,
      open: async () => Readable3.from([bytes]),
      head: async () => bytes.subarray(0, 64 * 1024),
      bytes: async () => bytes
    }
  };
}
function cellText(cell) {
  if (cell === null || cell === void 0) return "";
  if (cell instanceof Date) return cell.toISOString().slice(0, 10);
  const text = String(cell).trim();
  const number2 = parseDecimal(text) === void 0 ? void 0 : parseDecimal(String(Number(text)));
  return number2 ?? (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
}

// src/import/formats/nearest.ts
var mostRows = 80;
var mostNotes = 60;
var enoughJson = 8e3;
var mostFaults = 3;
function nearestTo(head, name, formats2) {
  const json = nearJson.find(({ matches }) => matches.test(head.slice(0, enoughJson)));
  if (json !== void 0) return { reason: json.reason, hints: [json.wayOut] };
  let states = separations(head);
  for (let depth = 0; depth <= mostFaults; depth += 1) {
    for (const repairs of states) {
      const last = repairs.at(-1);
      const faults = repairs.filter(({ fault }) => fault !== "");
      if (last === void 0 || faults.length === 0) continue;
      const format = recognised(last.rows, name, formats2);
      if (format !== void 0) return described(format, faults);
    }
    states = states.flatMap((repairs) => withOneMore(repairs));
  }
  return void 0;
}
function described({ kind, summary }, faults) {
  const noun = summary.replace(/(?:,| \().*$/, "");
  const reason = `like ${kind} (${noun}), but ${faults.map(({ fault }) => fault).join(", and ")}`;
  return { reason, hints: faults.map(({ wayOut }) => wayOut) };
}
function withOneMore(repairs) {
  const rows = repairs.at(-1)?.rows ?? [];
  return faultsOfTables.flatMap((find) => {
    const repair = find(rows);
    return repair === void 0 ? [] : [[...repairs, repair]];
  });
}
function recognised(rows, name, formats2) {
  for (const separator2 of [",", "	"]) {
    const text = rows.map((row) => row.map((cell) => quoted(cell)).join(separator2)).join("\n");
    const [format, other] = formats2.filter((candidate) => candidate.recognise(`${text}
`, name));
    if (format !== void 0 && other === void 0) return format;
  }
  return void 0;
}
function quoted(cell) {
  return /[",;\t]/.test(cell) ? `"${cell.replaceAll('"', "")}"` : cell;
}
var separators2 = [
  { split: (line) => cellsIn(line, ","), fault: "" },
  { split: (line) => cellsIn(line, ";"), fault: "" },
  { split: (line) => cellsIn(line, "	"), fault: "" },
  { split: (line) => line.split("|").map((cell) => cell.trim()), fault: "its cells are separated by |" },
  { split: (line) => line.trim().split(/ +/), fault: "its cells are separated by blanks" }
];
function separations(head) {
  const lines = linesOf(head, mostRows).filter((line) => line.trim() !== "");
  return separators2.flatMap(({ split, fault }) => {
    const rows = lines.map(split);
    const isTable2 = rows.filter((row) => row.length > 1).length > 1 && (fault === "" || hasFigures(rows));
    return isTable2 ? [[{ rows, fault, wayOut: "save it with commas between the cells" }]] : [];
  });
}
function hasFigures([, ...rows]) {
  const withFigures = rows.filter((row) => row.slice(1).some((cell) => /^-?[\d.,]*\d$/.test(cell)));
  return withFigures.length * 2 > rows.length;
}
var date = /^(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ][\d:.]+Z?)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})$/;
var period2 = /^(?:\d{4}[-/.: ]?[QMqm]?\d{1,2}|[QMqm]?\d{1,2}[-/. ]\d{4}|(?:19|20)\d\d|\d{8}|(?:\d{1,2}[- ])?[A-Z][a-z]{2,8}[-. ]'?\d{2,4})$/;
var dateName2 = /^(?:.*[_ ])?(?:date|dates|day|month|quarter|year|period|time|timestamp|datum|fecha)$/i;
var dateNames = ["observation_date", "Date", "DATE", "date"];
function isWhen(cell) {
  return cell !== void 0 && (date.test(cell) || period2.test(cell));
}
function holdsDates([, ...rows], column) {
  const cells = rows.map((row) => row[column] ?? "").filter((cell) => cell !== "");
  return cells.length > 0 && cells.filter(isWhen).length * 2 > cells.length;
}
var faultsOfTables = [
  function noHeader(rows) {
    const [first] = rows;
    if (first === void 0 || !isWhen(first[0]) || first.length < 2 || !hasFigures([first, ...rows]))
      return void 0;
    const names2 = first.slice(1).map((_, i) => `A${i + 1}`);
    const example = first.length === 2 ? "date,value" : `Date,${names2.join(",").slice(0, 40)}`;
    return {
      rows: [first.length === 2 ? ["date", "value"] : ["Date", ...names2], ...rows],
      fault: "it has no header",
      wayOut: `add a first line that names the columns, such as ${example}`
    };
  },
  function notesAbove(rows) {
    const at = rows.findIndex(
      (row, i) => i > 0 && i <= mostNotes && row.length > 1 && !isWhen(row[0]) && isWhen(rows[i + 1]?.[0])
    );
    if (at < 0) return void 0;
    return {
      rows: rows.slice(at),
      fault: `${at === 1 ? "1 line is" : `${at} lines are`} above its header`,
      wayOut: "delete the lines above the names of the columns"
    };
  },
  function datesNotFirst(rows) {
    const [header = []] = rows;
    const at = header.findIndex((name, i) => i > 0 && dateName2.test(name) && holdsDates(rows, i));
    if (at < 0 || holdsDates(rows, 0)) return void 0;
    const moved = rows.map((row) => [row[at] ?? "", ...row.filter((_, i) => i !== at)]);
    const fault = `its dates are in column ${at + 1} (${JSON.stringify(header[at])})`;
    return { rows: moved, fault, wayOut: "make the dates the first column" };
  },
  ...dateNames.map(
    (wanted) => function otherName(rows) {
      const [[name, ...others] = [], ...below] = rows;
      if (name === void 0 || name === wanted || name === "sasdate" || isWhen(name) || !holdsDates(rows, 0))
        return void 0;
      const fault = name === "" ? "its first column has no name" : `its first column is named ${JSON.stringify(name)}`;
      return { rows: [[wanted, ...others], ...below], fault, wayOut: `name the first column ${wanted}` };
    }
  ),
  function datesAcross(rows) {
    const [[name = "", ...across] = [], ...below] = rows;
    if (isWhen(name) || across.length < 2 || !across.every(isWhen) || holdsDates(rows, 0)) return void 0;
    const turned = across.map((when, i) => [when, ...below.map((row) => row[i + 1] ?? "")]);
    return {
      rows: [["Date", ...below.map(([id = ""]) => id)], ...turned],
      fault: "its dates are in the header",
      wayOut: "turn the table, so that each row has a date and each column a series"
    };
  },
  function vintagesWithoutSeries(rows) {
    const [[name = "", ...vintages] = [], ...below] = rows;
    if (isWhen(name) || vintages.length === 0 || !vintages.every((text) => date.test(text))) return void 0;
    if (!holdsDates(rows, 0)) return void 0;
    const example = /^\d{4}-\d\d-\d\d$/.test(vintages[0] ?? "") ? vintages[0]?.replaceAll("-", "") : "20150130";
    return {
      rows: [[name, ...vintages.map((_, i) => `GDPC1_201501${10 + i % 20}`)], ...below],
      fault: "its columns name vintage dates without a series",
      wayOut: `name the columns by series and vintage date, such as GDPC1_${example}`
    };
  },
  function withoutTransforms([header = [], ...below]) {
    if (!/^sasdate$/i.test(header[0] ?? "") || below.length === 0) return void 0;
    return {
      rows: [header, ["Transform:"], ...below],
      fault: 'the row "Transform:" below its header is missing',
      wayOut: "use the file as its publisher has it, or name the first column Date and pass --as-of"
    };
  },
  function otherColumns([header = [], ...below]) {
    const wanted = header.map((name) => statementNames.find(({ like }) => like.test(name))?.name ?? name);
    const renamed = header.filter((name, i) => name !== wanted[i]);
    if (renamed.length === 0 || new Set(wanted).size < wanted.length) return void 0;
    const names2 = wanted.filter((name, i) => name !== header[i]);
    const [columns9, are] = renamed.length === 1 ? ["column", "is"] : ["columns", "are"];
    return {
      rows: [wanted, ...below],
      fault: `its ${columns9} for ${names2.join(", ")} ${are} named ${renamed.map((name) => JSON.stringify(name)).join(", ")}`,
      wayOut: `name the ${columns9} ${names2.join(", ")}`
    };
  },
  function withoutAsOf([header = [], ...below]) {
    if (header.includes("as_of_date") || !["series_id", "date", "value"].every((name) => header.includes(name)))
      return void 0;
    return {
      rows: [[...header, "as_of_date"], ...below],
      fault: "it has no column as_of_date",
      wayOut: "add a column as_of_date: the day on which the value of the line became known"
    };
  },
  function namesThatAreNoIds(rows) {
    const [[first = "", ...names2] = [], ...below] = rows;
    const wrong = names2.find(
      (name) => name === "" || /[^A-Za-z0-9 &:.%_+()-]/.test(name) || name.length > 80
    );
    if (wrong === void 0 || !holdsDates(rows, 0)) return void 0;
    return {
      rows: [[first, ...names2.map((_, i) => `A${i + 1}`)], ...below],
      fault: wrong === "" ? "a column has no name" : `the column ${JSON.stringify(wrong)} is not a series id`,
      wayOut: "name each column by the id of its series, such as GDP"
    };
  }
];
var statementNames = [
  {
    name: "series_id",
    like: /^(?:series|series[ _]?id|seriesid|variable|indicator|ticker|mnemonic|symbol|id|code)$/i
  },
  {
    name: "date",
    like: /^(?:date|observation_date|obs_date|ref_?date|reference_(?:date|period)|period|time)$/i
  },
  {
    name: "as_of_date",
    like: /^(?:as_of_date|as_?of|vintage|vintage_?date|release_?date|published(?:_on)?|publication_?date|known_(?:on|from)|realtime_start)$/i
  },
  { name: "value", like: /^(?:value|obs_value|figure|level|observation)$/i }
];
var nearJson = [
  {
    matches: /^\s*\[\s*\{[^}]*"date"\s*:[^}]*"value"\s*:|^\s*\[\s*\{[^}]*"value"\s*:[^}]*"date"\s*:/,
    reason: "like fred-api (FRED API observations), but a list of observations without the answer around it",
    wayOut: "save the whole answer of the API, from its first { on, or the list as CSV with the columns date,value"
  },
  {
    matches: /^\s*\{[^}]*"date"\s*:[^}]*"value"\s*:[^}]*\}\s*\n\s*\{/,
    reason: "like fred-api (FRED API observations), but one observation a line",
    wayOut: "save the whole answer of the API, or the lines as CSV with the columns date,value"
  },
  {
    matches: /^\s*\{(?![\s\S]*"realtime_start")[\s\S]*"observations"\s*:\s*\[/,
    reason: "like fred-api (FRED API observations), but without realtime_start and realtime_end",
    wayOut: "save the answer of the API as it is, or the observations as CSV with the columns date,value"
  },
  {
    matches: /^\s*\{[\s\S]*"entityName"\s*:[\s\S]*"facts"\s*:/,
    reason: "like sec-submissions-json (list of filings of a company), but it has the company\u2019s facts",
    wayOut: "asof reads the SEC\u2019s submissions (CIK\u2026.json) and ownership documents"
  },
  {
    matches: /^\s*\{[\s\S]*"accessionNumber"\s*:\s*\[(?![\s\S]*"filings"\s*:)/,
    reason: "like sec-submissions-json (list of filings of a company), but only a part of the answer",
    wayOut: "save the whole answer of the SEC (CIK\u2026.json)"
  },
  {
    matches: /^\s*\{[\s\S]*"Results"\s*:\s*\{\s*"series"\s*:|^\s*\{\s*"BEAAPI"\s*:/,
    reason: "like fred-api (FRED API observations), but an answer of the API of another agency",
    wayOut: "save its figures as CSV with the columns series_id,date,as_of_date,value"
  }
];

// src/import/formats/own/metadata.ts
init_date();
init_series();
var columns7 = {
  required: ["series_id"],
  optional: ["title", "units", "frequency", "seasonal_adjustment", "source", "covered_to", "vintage_kind"]
};
var metadataCsv = {
  kind: "metadata-csv",
  summary: "series metadata (series_id,title,units,frequency,seasonal_adjustment,source[,covered_to,vintage_kind])",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise(head) {
    const header = headerOf3(head);
    if (!header.includes("series_id") || header.includes("date") || header.includes("value")) return false;
    return columns7.optional.some((name) => header.includes(name));
  },
  async *read(file) {
    const rowOf2 = /* @__PURE__ */ new Map();
    for await (const { header, rows } of readCsvBody(
      file,
      (cells) => placesOf(file, cells, columns7)
    )) {
      yield { metadata: rows.map((row) => readMetadata(file, row, header, rowOf2)) };
    }
  }
};
function readMetadata(file, { row, cells }, places, rowOf2) {
  const text = (column) => (cells[places.get(column) ?? -1] ?? "").trim();
  const parsed = (column, parse2, form) => {
    if (text(column) === "") return void 0;
    const value = parse2(text(column));
    if (value !== void 0) return value;
    throw refusal(file, { row, column, value: text(column) }, form);
  };
  const seriesId = parseSeriesId(text("series_id"));
  if (seriesId === void 0) {
    throw notAnId(file, { row, column: "series_id", value: text("series_id") });
  }
  const before = rowOf2.get(seriesId);
  if (before !== void 0) {
    throw refusal(
      file,
      { row, column: "series_id", value: seriesId },
      `row ${before} already describes this series`
    );
  }
  rowOf2.set(seriesId, row);
  const frequency = parsed("frequency", parseFrequency, "not a frequency: D, W, BW, M, Q, SA or A");
  const coveredTo2 = parsed(
    "covered_to",
    parseDay,
    faultOfDay(text("covered_to")) ?? "not a date: use YYYY-MM-DD"
  );
  const vintageKind = parsed("vintage_kind", parseVintageKind, `not one of ${vintageKinds.join(", ")}`);
  return {
    seriesId,
    ...text("title") !== "" && { title: text("title") },
    ...text("units") !== "" && { units: text("units") },
    ...frequency !== void 0 && { frequency },
    ...text("seasonal_adjustment") !== "" && { seasonalAdjustment: text("seasonal_adjustment") },
    ...text("source") !== "" && { source: text("source") },
    ...vintageKind !== void 0 && { vintageKind },
    ...coveredTo2 !== void 0 && { coveredTo: coveredTo2 }
  };
}

// src/import/formats/own/statements.ts
init_date();
init_decimal();
init_series();
var columns8 = ["series_id", "date", "as_of_date", "value"];
var kindColumn = "vintage_kind";
var answerColumns = /* @__PURE__ */ new Set(["as_of", "unit", "frequency", "source", "change", "percent", "days"]);
var asofCsv = {
  kind: "asof-csv",
  summary: "statements, one per line (series_id,date,as_of_date,value[,vintage_kind]), as asof facts writes them",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  statesAsOf: "by hand",
  recognise(head) {
    const header = headerOf3(head);
    return columns8.every((name) => header.includes(name));
  },
  async *read(file) {
    const coveredTo2 = /* @__PURE__ */ new Map();
    const statement = statementReader(file);
    for await (const { header, rows } of readCsvBody(file, (cells) => readHeader2(file, cells))) {
      const statements = [];
      const complete = [];
      for (const row of rows) {
        const made = statement(row, header);
        if (made.date === "") complete.push(made);
        else statements.push(made);
        const known2 = coveredTo2.get(made.seriesId);
        if (known2 === void 0 || known2 < made.asOf) coveredTo2.set(made.seriesId, made.asOf);
      }
      yield { statements, complete };
    }
    yield { coverage: Array.from(coveredTo2, ([seriesId, day]) => ({ seriesId, coveredTo: day })) };
  }
};
function readHeader2(file, header) {
  const others = header.cells.filter(
    (name) => !columns8.some((known2) => known2 === name) && name !== kindColumn
  );
  if (others.length > 0 && others.every((name) => answerColumns.has(name))) {
    const reason = "this is the answer to a query, which lacks statements; import what asof facts writes";
    throw refusal(file, { row: header.row, column: others[0] ?? "" }, reason, ["asof facts ID"]);
  }
  const places = placesOf(file, header, { required: columns8, optional: [kindColumn] });
  const at = (name) => places.get(name) ?? -1;
  return {
    series: at("series_id"),
    date: at("date"),
    asOf: at("as_of_date"),
    value: at("value"),
    kind: at(kindColumn)
  };
}
function statementReader(file) {
  const ids = /* @__PURE__ */ new Map();
  const days = /* @__PURE__ */ new Map();
  const idOf = (text, row) => {
    const id = ids.get(text) ?? parseSeriesId(text);
    if (id === void 0) throw notAnId(file, { row, column: "series_id", value: text });
    ids.set(text, id);
    return id;
  };
  const dayOf2 = (text, row, column) => {
    const day = days.get(text) ?? parseDay(text);
    if (day === void 0) throw notADay(file, { row, column, value: text });
    days.set(text, day);
    return day;
  };
  const decimalOf = (text, row) => {
    if (text === "") return null;
    const value = parseDecimal(text);
    if (value !== void 0) return value;
    throw notANumber(file, { row, column: "value", value: text }, "empty, as a withdrawal is");
  };
  const kindIn = (text, row) => {
    const kind = text === "" ? "" : parseVintageKind(text);
    if (kind !== void 0) return kind;
    throw refusal(file, { row, column: kindColumn, value: text }, `not one of ${vintageKinds.join(", ")}`);
  };
  return ({ row, cells }, at) => {
    const [date4 = "", value = ""] = [cells[at.date], cells[at.value]];
    return {
      seriesId: idOf(cells[at.series] ?? "", row),
      date: date4 === "" && value === "" ? "" : dayOf2(date4, row, "date"),
      asOf: dayOf2(cells[at.asOf] ?? "", row, "as_of_date"),
      value: decimalOf(value, row),
      ...at.kind >= 0 && { kind: kindIn(cells[at.kind] ?? "", row) }
    };
  };
}

// src/import/formats/panels/dated.ts
init_date();
init_series();
var datedPanel = {
  kind: "dated-panel",
  summary: "panel of FRED series (date,PAYEMS,\u2026), one vintage per file, named YYYY-MM-DD.csv",
  source: "FRED dated panel",
  vintageKind: "sampled",
  whole: true,
  takesAsOf: true,
  recognise: isDatedPanel,
  async *read(file, options) {
    const vintage = vintageOf(file, options);
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => ({ seriesId: columnId(file, name), vintage })
    });
    const rowFrequency = frequencyOf(table.rows.map(({ date: date4 }) => date4));
    yield* vintageBatches(file, table, { ...fredCells, ...rowFrequency === "M" && { rowFrequency } });
  }
};
function isDatedPanel(head, name) {
  const [date4, ...columns9] = headerOf3(head);
  if (date4 !== "date" || columns9.length === 0 || columns9.every(isCurveColumn)) return false;
  if (dayOfName(name) === void 0 || columns9.some(isRealTimeColumn)) return false;
  return columns9.every((column) => isSeriesColumn(column) && !isVintageColumn(column));
}
function dayOfName(name) {
  return parseDay(name.replace(/\.csv$/i, ""));
}
function vintageOf(file, options) {
  const vintage = options.asOf ?? dayOfName(file.name);
  if (vintage !== void 0) return vintage;
  throw unknownVintage(file, "the file name is not its vintage date, such as 2016-07-29.csv");
}
var plainCsv = {
  kind: "plain-csv",
  summary: "figures by date (Date,GDP, or date,value with --series), one vintage per file; its date is --as-of",
  vintageKind: "fetched",
  whole: true,
  takesAsOf: true,
  takesSeries: true,
  recognise(head, file) {
    const [date4, ...columns9] = headerOf3(head);
    if (columns9.length === 0 || columns9.some((name) => maturityName2.test(name) || isVintageColumn(name)))
      return false;
    if (date4 !== "Date" && date4 !== "date" || isDatedPanel(head, file)) return false;
    if (columns9.every(isCurveColumn) || columns9.some(isRealTimeColumn)) return false;
    return columns9.every(isValue) || columns9.every((name) => isSeriesColumn(name) && !isValue(name));
  },
  async *read(file, options) {
    const vintage = options.asOf ?? parseDay(file.name.replace(/\.\w+$/, ""));
    if (vintage === void 0)
      throw unknownVintage(file, "the file does not state when its figures were known");
    const table = await readVintageCsv(file, {
      ...isoDates,
      column: (name) => ({ seriesId: seriesOf3(file, name, options), vintage })
    });
    yield* vintageBatches(file, table, fredCells);
  }
};
var maturityName2 = /^\d+(?:\.\d+)? ?(?:mo|month|yr|year)s?$/i;
var fieldName = /^(?:value|rate|maturity|source|unit|frequency|id|series_id|as_of(?:_date)?|curve_type|trade_date)$/;
function isSeriesColumn(name) {
  if (fieldName.test(name) || maturityName2.test(name) || parseDay(name) !== void 0) return false;
  return parseSeriesId(name) !== void 0;
}

// src/import/formats/panels/fred-md.ts
init_date();
var fredMd = panel({
  kind: "fred-md",
  summary: "FRED-MD monthly panel, one vintage per file, named 2015-01.csv",
  source: "FRED-MD",
  frequency: "M",
  secondRow: /^transform:?$/i
});
var fredQd = panel({
  kind: "fred-qd",
  summary: "FRED-QD quarterly panel, one vintage per file, named 2021-04.csv",
  source: "FRED-QD",
  frequency: "Q",
  secondRow: /^factors:?$/i
});
function panel({ kind, summary, source: source2, frequency, secondRow }) {
  return {
    kind,
    summary,
    source: source2,
    vintageKind: "sampled",
    whole: true,
    takesAsOf: true,
    recognise: (head) => headerOf3(head)[0]?.toLowerCase() === "sasdate" && secondRow.test(cellsOf(head, 1)[0] ?? ""),
    async *read(file, options) {
      const vintage = vintageOf2(file, options);
      let shortYears = false;
      const table = await readVintageCsv(file, {
        column: (name) => ({ seriesId: columnId(file, name), vintage }),
        date: (text) => {
          const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(text) ?? [];
          if (year === void 0) return text.endsWith("-01") ? parseDay(text) : void 0;
          shortYears = true;
          return Number(day) === 1 ? dayOf(fullYear(Number(year)), Number(month), 1) : void 0;
        },
        dateForm: "M/D/YYYY, the first day of a month",
        dateOrder: "M/D/YYYY",
        isNote: (label) => /^(?:factors|transform):?$/i.test(label)
      });
      if (shortYears) refuseDisorder(file, table);
      yield* vintageBatches(file, table, { ...fredCells, frequency });
    }
  };
}
function fullYear(year) {
  return year + (year >= 59 ? 1900 : 2e3);
}
function refuseDisorder(file, { rows }) {
  let before = "";
  for (const { row, date: date4 } of rows) {
    if (date4 < before) {
      const reason = `with two-digit years, dates must ascend; the row above has ${before}`;
      throw refusal(file, { row, value: date4 }, reason);
    }
    before = date4;
  }
}
var fileMonth = /^(?:FRED-?[MQ]D[-_]?)?(\d{4})(?:-|m)(\d{1,2})(?:-?[mq]d?)?\.csv$/i;
function vintageOf2(file, options) {
  if (options.asOf !== void 0) return options.asOf;
  const [, year, month] = fileMonth.exec(file.name) ?? [];
  const first = dayOf(Number(year), Number(month), 1);
  if (first !== void 0) return monthEnd(first);
  throw unknownVintage(file, "the file name is not the month of its vintage, such as 2015-01.csv");
}

// src/import/formats/rtdsm/rtdsm.ts
init_date();
init_decimal();
init_series();
var rtdsm = {
  kind: "rtdsm",
  summary: "Philadelphia Fed real-time data set (ROUTPUTQvQd.xlsx, or a CSV of it), one vintage per column",
  source: "Philadelphia Fed Real-Time Data Set",
  vintageKind: "sampled",
  whole: true,
  takesAsOf: false,
  recognise: (head, name) => isWorkbook(head, name) && !alfredWorkbook.recognise(head, name) && !fredWorkbook.recognise(head, name) && sheetHeadersIn(head).every((header) => isHeader2(headerOf3(`${header}
`))) || isTable(head),
  async *read(file) {
    const workbook = isWorkbook((await file.head()).toString("latin1"), file.name);
    const sheet = workbook ? await readOnlySheet(file) : await readTable(file);
    const columns9 = readColumns2(file, sheet[0] ?? []);
    const { rows, frequency } = readRows(file, sheet, columns9, workbook);
    const table = { columns: columns9, rows };
    yield* vintageBatches(file, table, {
      number: workbook ? shortestDecimals() : parseDecimal,
      withdrawals: /* @__PURE__ */ new Set(["#N/A"]),
      frequency
    });
  }
};
function isWorkbook(head, name) {
  return head.startsWith("PK") && /\.xlsx$/i.test(name);
}
function isTable(head) {
  const header = headerOf3(head);
  return header.length > 1 && isHeader2(header);
}
function isHeader2([date4, ...columns9]) {
  return date4 === "DATE" && columns9.every((name) => vintageName.test(name));
}
async function readTable(file) {
  const sheet = [];
  for await (const rows of readCsv(file)) {
    for (const { row, cells } of rows) {
      while (sheet.length < row - 1) sheet.push([]);
      sheet.push(cells.map((cell) => cell.trim() === "" ? null : cell.trim()));
    }
  }
  return sheet;
}
function readColumns2(file, header) {
  if (header[0] !== "DATE") {
    const value = String(header[0] ?? "");
    throw refusal(
      file,
      { row: 1, column: "A", value },
      "the first cell of a Real-Time Data Set workbook is DATE"
    );
  }
  if (header.length < 2) throw refusal(file, { row: 1 }, "the file has dates and no vintages");
  const columns9 = header.slice(1).map((cell, index) => readColumn(file, cell, columnLetters(index + 1)));
  const [first] = columns9;
  const other = columns9.find(({ seriesId }) => seriesId !== first?.seriesId);
  if (first === void 0 || other === void 0) return columns9;
  throw refusal(
    file,
    { row: 1, column: other.name },
    `not a vintage of ${first.seriesId}, as the first column is`
  );
}
var vintageName = /^(.+?)(\d\d)(?:Q([1-4])|M(\d{1,2}))$/i;
function readColumn(file, cell, letters) {
  const header = typeof cell === "string" ? cell : "";
  const parts = vintageName.exec(header);
  const [, prefix = "", digits = "", quarter, month] = parts ?? [];
  const seriesId = parseSeriesId(prefix);
  const year = Number(digits) + (Number(digits) >= 60 ? 1900 : 2e3);
  const vintage = dayOf(year, quarter === void 0 ? Number(month) : 3 * Number(quarter) - 1, 15);
  if (seriesId === void 0 || vintage === void 0) {
    const reason = "not a variable and its vintage, such as ROUTPUT65Q4 or EMPLOY64M12";
    throw refusal(file, { row: 1, column: letters, value: header }, reason);
  }
  return { name: `${letters} ${header}`, seriesId, vintage };
}
function columnLetters(index) {
  const letter = String.fromCharCode(65 + index % 26);
  return index < 26 ? letter : columnLetters(Math.floor(index / 26) - 1) + letter;
}
function readRows(file, sheet, columns9, workbook) {
  const labels2 = sheet.flatMap((cells, index) => {
    const isRow = index > 0 && cells.some((cell) => cell !== null);
    return isRow ? [{ row: index + 1, label: String(cells[0] ?? "") }] : [];
  });
  if (labels2.length === 0) throw refusal(file, {}, "the file has a header and no rows");
  const dates = periodsOf(file, labels2, workbook ? void 0 : columns9[0]?.seriesId);
  const rows = dates.map(({ row, date: date4 }) => {
    return { row, date: date4, cells: readCells2(file, row, sheet[row - 1] ?? [], columns9) };
  });
  return { rows, frequency: dates[0]?.frequency ?? "" };
}
function readCells2(file, row, cells, columns9) {
  return columns9.map(({ name }, index) => {
    const cell = cells[index + 1] ?? "";
    if (typeof cell === "string") return cell;
    const value = cell instanceof Date ? cell.toISOString() : String(cell);
    throw refusal(file, { row, column: name, value }, "neither a number nor #N/A");
  });
}
function shortestDecimals() {
  const known2 = /* @__PURE__ */ new Map();
  return (text) => {
    let value = known2.get(text);
    if (value === void 0 && !known2.has(text)) {
      value = parseDecimal(text) === void 0 ? void 0 : parseDecimal(String(Number(text)));
      known2.set(text, value);
    }
    return value;
  };
}
var quarterly = new Set(
  `NCON NCPROFAT NCPROFATW NOUTPUT NPI NPSAV NDPI OLI OPH P PCON PCONX PIMP PROPI PTI RATESAV RCON RCOND RCONG RCONHH
  RCONND RCONS RCONSHH RCONSNP REX RFS RG RGF RGSL RIMP RINVBF RINVCHI RINVRESID RNX ROUTPUT RRI RTS ULC WSD`.split(
    /\s+/
  )
);
var monthly = new Set(
  `BASEBASA CPI CUM CUT DIVBASA EMPLOY H HG HS HSTARTS IPM IPT LFC LFPART M1 M2 NBRBASA NBRECBASA PCPI PCPIX POP PPPI
  PPPIX RUC TRBASA`.split(/\s+/)
);
function periodsOf(file, labels2, variable) {
  const [first] = labels2;
  const ofQuarters = /:Q/.test(first?.label ?? "");
  const asQuarters = variable !== void 0 && !ofQuarters && countsQuarters(file, labels2, variable);
  return labels2.map(({ row, label }) => {
    const [, year, quarter, number2] = /^(\d{4}):(?:Q([1-4])|(\d\d))$/.exec(label) ?? [];
    const isQuarter = quarter !== void 0;
    const month = isQuarter || asQuarters ? 3 * Number(quarter ?? number2) - 2 : Number(number2);
    const date4 = dayOf(Number(year), month, 1);
    if (date4 === void 0)
      throw refusal(file, { row, column: "A DATE", value: label }, "not a date such as 1947:Q1 or 1947:01");
    if (isQuarter !== ofQuarters)
      throw refusal(file, { row, column: "A DATE", value: label }, "the file mixes months and quarters");
    return { row, date: date4, frequency: isQuarter || asQuarters ? "Q" : "M" };
  });
}
function countsQuarters(file, labels2, variable) {
  const periods = labels2.map(({ label }) => {
    const [year, number2] = label.split(":").map(Number);
    return { year: year ?? 0, number: number2 ?? 0 };
  });
  if (periods.some(({ number: number2 }) => number2 > 4) || !periods.every(followsAsQuarter)) return false;
  if (new Set(periods.map(({ year }) => year)).size > 1 || quarterly.has(variable)) return true;
  if (monthly.has(variable)) return false;
  const { row = 0, label: value = "" } = labels2[0] ?? {};
  const reason = "this could be a month or a quarter, and the file is too short to decide it; write 1947:Q1 for quarters";
  throw refusal(file, { row, column: "A DATE", value }, reason);
}
function followsAsQuarter({ year, number: number2 }, index, all) {
  const before = all[index - 1];
  return before === void 0 || 4 * year + number2 === 4 * before.year + before.number + 1;
}

// src/import/formats/sec/form345.ts
init_filing();

// src/import/readers/tsv.ts
var longestRecord2 = 64 * 1024;
async function* readTable2(file, required) {
  let places;
  for await (const batch of recordsIn(file)) {
    const rows = [];
    for (const { row, cells } of batch) {
      if (places === void 0) {
        places = placesIn2(file, cells, required);
        continue;
      }
      if (cells.length !== places.size) {
        const reason = `${cells.length} cells, but the header has ${places.size}; is the file truncated?`;
        throw refusal(file, { row }, reason);
      }
      const known2 = places;
      rows.push({ row, cell: (column) => cells[known2.get(column) ?? -1]?.trim() ?? "" });
    }
    if (rows.length > 0) yield rows;
  }
  if (places === void 0) throw refusal(file, {}, "the table is empty");
}
function columnsOf3(head) {
  const [line = ""] = head.replace(/^\uFEFF/, "").split("\n", 1);
  return line.split("	").map((name) => name.trim());
}
function placesIn2(file, cells, required) {
  const places = /* @__PURE__ */ new Map();
  for (const [place2, cell] of cells.entries()) {
    const column = cell.trim();
    if (places.has(column)) throw refusal(file, { row: 1, column }, "this column appears twice");
    places.set(column, place2);
  }
  for (const column of required) {
    if (!places.has(column)) throw refusal(file, { row: 1, column }, "this column is missing");
  }
  return places;
}
async function* recordsIn(file) {
  let [row, start, open] = [0, 0, ""];
  for await (const lines of linesIn(file)) {
    const records = [];
    for (const line of lines) {
      row += 1;
      if (foreign2.test(line)) throw notUtf8(file, { row });
      if (open === "") start = row;
      const record = open === "" ? line : `${open}
${line}`;
      const cells = record.includes('"') ? quotedCells(record) : record.split("	");
      if (record.length > longestRecord2) throw refusal(file, { row: start }, "a record of more than 64 KiB");
      open = cells === void 0 ? record : "";
      if (cells !== void 0 && record !== "") records.push({ row: start, cells });
    }
    yield records;
  }
  if (open !== "") throw refusal(file, { row: start }, "a quote opens here and is never closed");
}
var foreign2 = /[\0\uFFFD]/;
function quotedCells(record) {
  const cells = [];
  let start = 0;
  while (start <= record.length) {
    const next = record.indexOf("	", start);
    let end = next < 0 ? record.length : next;
    let quoted2 = false;
    if (record[start] === '"') {
      const close = closingQuote(record, start);
      if (close === void 0) return void 0;
      quoted2 = close + 1 === record.length || record[close + 1] === "	";
      if (quoted2) end = close + 1;
    }
    cells.push(quoted2 ? record.slice(start + 1, end - 1).replaceAll('""', '"') : record.slice(start, end));
    start = end + 1;
  }
  return cells;
}
function closingQuote(record, start) {
  for (let at = record.indexOf('"', start + 1); at >= 0; at = record.indexOf('"', at + 2)) {
    if (record[at + 1] !== '"') return at;
  }
  return void 0;
}
async function* linesIn(file) {
  const input = await file.open();
  input.setEncoding("utf8");
  try {
    let rest = "";
    let first = true;
    for await (const chunk of input) {
      const text = rest + (first ? chunk.replace(/^\uFEFF/, "") : chunk);
      first = false;
      const lines = text.split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > longestRecord2)
        throw refusal(file, {}, "a line of more than 64 KiB; this is not a table");
      yield lines.map(withoutReturn);
    }
    if (rest !== "") yield [withoutReturn(rest)];
  } finally {
    input.destroy();
  }
}
function withoutReturn(line) {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

// src/import/formats/sec/document.ts
init_filing();

// src/import/formats/sec/values.ts
init_date();
init_decimal();
var forms = ["3", "4", "5", "3/A", "4/A", "5/A"];
function parseForm(text) {
  return forms.find((form) => form === text);
}
function parseAccession(text) {
  const [, filer, year, count] = /^(\d{10})-?(\d{2})-?(\d{6})$/.exec(text) ?? [];
  return filer === void 0 ? void 0 : `${filer}-${year}-${count}`;
}
function accessionIn(path) {
  const found = path.match(/(?<!\d)(?:\d{18}|\d{10}-\d{2}-\d{6})(?!\d)/g);
  return parseAccession(found?.at(-1) ?? "");
}
function parseCik(text) {
  return /^\d{1,10}$/.test(text) ? text.padStart(10, "0") : void 0;
}
function parseFlag(text) {
  if (text === "") return null;
  if (text === "1" || text.toLowerCase() === "true") return true;
  return text === "0" || text.toLowerCase() === "false" ? false : void 0;
}
var acquiredOrDisposed = oneOf("A", "D");
var directOrIndirect = oneOf("D", "I");
function oneOf(...known2) {
  return (text) => known2.find((candidate) => candidate === text.toUpperCase());
}
function parseAmount(text) {
  if (!/^[+-]?(?:\d|\.\d)/.test(text)) return void 0;
  const [, sign = "", whole = "", rest = ""] = /^\+?(-?)(\d*)(.*)$/.exec(text) ?? [];
  return parseDecimal(`${sign}${whole === "" ? "0" : whole}${rest === "." ? "" : rest}`);
}
function parseStatedDate(text) {
  const [, date4 = ""] = /^(\d{4}-\d{2}-\d{2})(?:Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  return inCalendar(date4) ? date4 : void 0;
}
var months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
function parseTableDate(text) {
  const [, day, name = "", year] = /^(\d{2})-([A-Z]{3})-(\d{4})$/i.exec(text) ?? [];
  const month = months.indexOf(name.toUpperCase()) + 1;
  const date4 = `${year}-${String(month).padStart(2, "0")}-${day}`;
  return inCalendar(date4) ? date4 : void 0;
}
function inCalendar(date4) {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date4)) return false;
  const [year, month, day] = date4.split("-").map(Number);
  return dayOf(2e3 + (year ?? 0) % 400, month ?? 0, day ?? 0) !== void 0;
}
function parseCompactDay(text) {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? [];
  return year === void 0 ? void 0 : parseDay(`${year}-${month}-${day}`);
}
function parseInstant(text) {
  const [, day = "", time] = /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:\.\d+)?Z$/.exec(text) ?? [];
  return parseDay(day) === void 0 ? void 0 : `${day}T${time}Z`;
}
function parseEasternTime(text) {
  const [, day = "", hour = "", minute = "", second = ""] = /^(\d{8})([01]\d|2[0-3])([0-5]\d)([0-5]\d)$/.exec(text) ?? [];
  const date4 = parseCompactDay(day);
  return date4 === void 0 ? void 0 : easternAsUtc(`${date4}T${hour}:${minute}:${second}Z`);
}
function easternAsUtc(clock) {
  return shifted(clock, easternHoursBehind(clock.slice(0, 10)));
}
function utcAsEastern(instant) {
  return shifted(instant, -easternHoursBehind(instant.slice(0, 10)));
}
function shifted(instant, hours) {
  return `${new Date(Date.parse(instant) + hours * 36e5).toISOString().slice(0, 19)}Z`;
}
var easternHour = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hour: "numeric",
  hourCycle: "h23"
});
function easternHoursBehind(date4) {
  return 17 - Number(easternHour.format(/* @__PURE__ */ new Date(`${date4}T17:00:00Z`)));
}
var noTicker = /^[^A-Z0-9]*(?:NONE|N\/A|NA|N\.A\.|NOT APPLICABLE)?[^A-Z0-9]*$/;
function tickerOf(text) {
  const symbol = text.trim().toUpperCase();
  return noTicker.test(symbol) ? null : symbol;
}

// src/import/formats/sec/document.ts
var longestDocument = 16 * 2 ** 20;
var repeatedElements = ["reportingOwner", "nonDerivativeTransaction", "derivativeTransaction"];
async function readOwnershipDocument(file, bytes) {
  const document = await parseXml(file, bytes, repeatedElements);
  const root2 = document.root.ownershipDocument;
  if (!isNode(root2)) throw refusal(file, {}, "this XML is not an ownership document");
  const fields = new XmlFields(file, document, root2);
  const owners = fields.all("reportingOwner").map(ownerOf);
  if (owners.length === 0) throw refusal(file, { column: "reportingOwner" }, "the document names no owner");
  return {
    formType: fields.required("documentType", parseForm, "one of the forms 3, 4, 5, 3/A, 4/A and 5/A"),
    originalFiledOn: fields.parsed("dateOfOriginalSubmission", parseStatedDate, date2),
    periodOfReport: fields.parsed("periodOfReport", parseStatedDate, date2),
    issuerCik: fields.required("issuer/issuerCik", parseCik, cik),
    issuerName: stated(fields, "issuer/issuerName"),
    ticker: tickerOf(fields.text("issuer/issuerTradingSymbol")),
    owners,
    is10b51: fields.parsed("aff10b5One", parseFlag, flag),
    trades: [
      ...tradesAt(file, fields.all("nonDerivativeTable/nonDerivativeTransaction"), false),
      ...tradesAt(file, fields.all("derivativeTable/derivativeTransaction"), true)
    ]
  };
}
function filingsOf({ trades, ...document }, acceptance) {
  return trades.map((trade) => ({ ...document, ...acceptance, ...trade }));
}
var date2 = "a date of the form YYYY-MM-DD";
var cik = "a CIK of up to ten digits";
var flag = "0, 1, true or false";
var number = "a number";
function ownerOf(owner) {
  const is = (name) => owner.parsed(`reportingOwnerRelationship/${name}`, parseFlag, flag) ?? false;
  return {
    cik: owner.parsed("reportingOwnerId/rptOwnerCik", parseCik, cik),
    name: owner.required("reportingOwnerId/rptOwnerName", (text) => text, "the name of the owner"),
    isDirector: is("isDirector"),
    isOfficer: is("isOfficer"),
    isTenPercent: is("isTenPercentOwner"),
    officerTitle: stated(owner, "reportingOwnerRelationship/officerTitle")
  };
}
function tradesAt(file, trades, isDerivative) {
  if (trades.length > mostTrades)
    throw refusal(file, {}, `${trades.length} trades in one table, but the form has 30 lines`);
  return trades.map((trade, index) => ({
    row: rowOf(isDerivative, index + 1),
    isDerivative,
    securityTitle: stated(trade, "securityTitle/value"),
    transactionDate: trade.required("transactionDate/value", parseStatedDate, date2),
    transactionCode: stated(trade, "transactionCoding/transactionCode"),
    acquiredDisposed: trade.parsed(
      "transactionAmounts/transactionAcquiredDisposedCode/value",
      acquiredOrDisposed,
      "A or D"
    ),
    shares: trade.parsed("transactionAmounts/transactionShares/value", parseAmount, number),
    pricePerShare: trade.parsed("transactionAmounts/transactionPricePerShare/value", parseAmount, number),
    sharesOwnedAfter: trade.parsed(
      "postTransactionAmounts/sharesOwnedFollowingTransaction/value",
      parseAmount,
      number
    ),
    ownership: trade.parsed("ownershipNature/directOrIndirectOwnership/value", directOrIndirect, "D or I")
  }));
}
function stated(fields, path) {
  const text = fields.text(path);
  return text === "" ? null : text;
}
var beginning = /^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----[\s\S]*?)?<(?:SEC-DOCUMENT|SEC-HEADER|IMS-DOCUMENT|IMS-HEADER)>/;
function submissionType(head) {
  return beginning.test(head) ? headerField(headerIn3(head), "CONFORMED SUBMISSION TYPE") ?? "" : void 0;
}
function readHeader3(file, text) {
  const header = headerIn3(text);
  const read = (name, parse2, what) => {
    const value = headerField(header, name);
    if (value === void 0) throw refusal(file, { column: name }, "the SGML header lacks this line");
    const found = parse2(value);
    if (found !== void 0) return found;
    const row = header.slice(0, header.indexOf(name)).split("\n").length;
    throw refusal(file, { row, column: name, value }, `not ${what}`);
  };
  const accessionNumber = read("ACCESSION NUMBER", parseAccession, "an accession number");
  return {
    filingId: accessionNumber,
    accessionNumber,
    formType: read("CONFORMED SUBMISSION TYPE", parseForm, "one of the forms 3, 4, 5, 3/A, 4/A and 5/A"),
    filedOn: read("FILED AS OF DATE", parseCompactDay, "a date of the form YYYYMMDD"),
    acceptedAt: headerField(header, "ACCEPTANCE-DATETIME") === void 0 ? null : read("ACCEPTANCE-DATETIME", parseEasternTime, "a time of the form YYYYMMDDhhmmss")
  };
}
function headerIn3(text) {
  const end = text.search(/<\/(?:SEC|IMS)-HEADER>|<DOCUMENT>/);
  return end < 0 ? text : text.slice(0, end);
}
function headerField(header, name) {
  const [, value = ""] = new RegExp(`^[ \\t]*(?:<${name}>|${name}:)(.*)$`, "m").exec(header) ?? [];
  return value.trim() === "" ? void 0 : value.trim();
}
var mostNamed = 3;
function notesOn(filings, owners) {
  const impossible = new ImpossibleTrades();
  for (const filing of filings) impossible.add(filing);
  const nameless = owners.filter(({ cik: cik2 }) => cik2 === null).map(({ name }) => name);
  if (nameless.length === 0) return impossible.notes();
  const without = `the CIK of ${nameless.join(", ")} is not stated; trades of such an owner count towards no cluster`;
  return [...impossible.notes(), without];
}
function unusedFilingDate(filedOn, given) {
  if (given === void 0 || given === filedOn) return [];
  return [`filed on ${filedOn} according to the SEC; --filed-on ${given} is ignored`];
}
var ImpossibleTrades = class {
  #count = 0;
  #examples = [];
  /** Takes a trade into account if it is impossible. */
  add(filing) {
    const impossibility = impossibilityOf(filing);
    if (impossibility === void 0) return;
    this.#count += 1;
    if (this.#examples.length < mostNamed)
      this.#examples.push(
        `${filing.filingId} row ${filing.row}, ${impossibilityText(filing, impossibility)}`
      );
  }
  /** The note, if there is anything to note. */
  notes() {
    if (this.#count === 0) return [];
    const [trades, verb] = this.#count === 1 ? ["1 impossible trade is", "counts"] : [`${this.#count} impossible trades are`, "count"];
    const more = this.#count > this.#examples.length ? `; and ${this.#count - this.#examples.length} more` : "";
    return [`${trades} kept as stated and ${verb} towards no cluster: ${this.#examples.join("; ")}${more}`];
  }
};

// src/import/formats/sec/tables.ts
init_date();
var submissionColumns = [
  "ACCESSION_NUMBER",
  "FILING_DATE",
  "PERIOD_OF_REPORT",
  "DATE_OF_ORIG_SUB",
  "DOCUMENT_TYPE",
  "ISSUERCIK",
  "ISSUERNAME",
  "ISSUERTRADINGSYMBOL"
];
var ownerColumns = [
  "ACCESSION_NUMBER",
  "RPTOWNERCIK",
  "RPTOWNERNAME",
  "RPTOWNER_RELATIONSHIP",
  "RPTOWNER_TITLE"
];
function cellReader(file, row) {
  const maybe = (column, parse2, what) => {
    const value = row.cell(column);
    if (value === "") return null;
    const found = parse2(value);
    if (found !== void 0) return found;
    throw refusal(file, { row: row.row, column, value }, `not ${what}`);
  };
  return {
    maybe,
    required(column, parse2, what) {
      const found = maybe(column, parse2, what);
      if (found !== null) return found;
      throw refusal(file, { row: row.row, column }, `${what} is missing here`);
    },
    text: (column) => row.cell(column).replace(/\s+/g, " ") || null
  };
}
var date3 = "a date of the form DD-MON-YYYY";
var accession = ["ACCESSION_NUMBER", parseAccession, "an accession number"];
var submissionsIn = oncePerFile(readSubmissions);
var ownersIn = oncePerFile(readOwners);
function oncePerFile(read) {
  const known2 = /* @__PURE__ */ new WeakMap();
  return (file) => {
    const held = known2.get(file) ?? read(file);
    known2.set(file, held);
    return held;
  };
}
async function readSubmissions(file) {
  const submissions = /* @__PURE__ */ new Map();
  for await (const rows of readTable2(file, submissionColumns)) {
    for (const row of rows) {
      const submission = submissionIn(cellReader(file, row));
      const { accessionNumber } = submission;
      if (submissions.has(accessionNumber)) {
        const place2 = { row: row.row, column: "ACCESSION_NUMBER", value: accessionNumber };
        throw refusal(file, place2, "this filing appears twice");
      }
      submissions.set(accessionNumber, submission);
    }
  }
  return submissions;
}
function submissionIn(cells) {
  const accessionNumber = cells.required(...accession);
  return {
    filingId: accessionNumber,
    accessionNumber,
    formType: cells.required("DOCUMENT_TYPE", parseForm, "one of the forms 3, 4, 5, 3/A, 4/A and 5/A"),
    filedOn: cells.required("FILING_DATE", parseFilingDay, date3),
    acceptedAt: null,
    originalFiledOn: cells.maybe("DATE_OF_ORIG_SUB", parseTableDate, date3),
    periodOfReport: cells.maybe("PERIOD_OF_REPORT", parseTableDate, date3),
    issuerCik: cells.required("ISSUERCIK", parseCik, "a CIK of up to ten digits"),
    issuerName: cells.text("ISSUERNAME"),
    ticker: tickerOf(cells.text("ISSUERTRADINGSYMBOL") ?? ""),
    is10b51: cells.maybe("AFF10B5ONE", parseFlag, "0, 1, true or false")
  };
}
function parseFilingDay(text) {
  return parseDay(parseTableDate(text) ?? "");
}
async function readOwners(file) {
  const owners = /* @__PURE__ */ new Map();
  for await (const rows of readTable2(file, ownerColumns)) {
    for (const row of rows) {
      const cells = cellReader(file, row);
      const accessionNumber = cells.required(...accession);
      const known2 = owners.get(accessionNumber);
      if (known2 === void 0) owners.set(accessionNumber, [ownerIn(cells)]);
      else known2.push(ownerIn(cells));
    }
  }
  return owners;
}
function ownerIn(cells) {
  const roles = cells.maybe("RPTOWNER_RELATIONSHIP", parseRoles, rolesText) ?? /* @__PURE__ */ new Set();
  return {
    cik: cells.required("RPTOWNERCIK", parseCik, "a CIK of up to ten digits"),
    name: cells.required("RPTOWNERNAME", (text) => text.replace(/\s+/g, " "), "the name of the owner"),
    isDirector: roles.has("director"),
    isOfficer: roles.has("officer"),
    isTenPercent: roles.has("tenpercentowner"),
    officerTitle: cells.text("RPTOWNER_TITLE")
  };
}
var knownRoles = ["director", "officer", "tenpercentowner", "other"];
var rolesText = "a list of Director, Officer, TenPercentOwner and Other";
function parseRoles(text) {
  const roles = text.split(/[,;]/).map((role) => role.replace(/\s+/g, "").toLowerCase());
  return roles.every((role) => knownRoles.includes(role)) ? new Set(roles) : void 0;
}

// src/import/formats/sec/form345.ts
var columnOf = {
  SUBMISSION: "DOCUMENT_TYPE",
  REPORTINGOWNER: "RPTOWNERCIK",
  NONDERIV_TRANS: "NONDERIV_TRANS_SK",
  DERIV_TRANS: "DERIV_TRANS_SK",
  NONDERIV_HOLDING: "NONDERIV_HOLDING_SK",
  DERIV_HOLDING: "DERIV_HOLDING_SK",
  FOOTNOTES: "FOOTNOTE_ID",
  OWNER_SIGNATURE: "OWNERSIGNATURENAME"
};
var tradeTables = {
  NONDERIV_TRANS: { key: "NONDERIV_TRANS_SK" },
  DERIV_TRANS: { key: "DERIV_TRANS_SK" }
};
var unknownWithout = {
  NONDERIV_TRANS: "its trades in shares are unknown",
  DERIV_TRANS: "its derivative trades are unknown",
  REPORTINGOWNER: "the owners are unknown, so no trade counts towards a cluster"
};
var secForm345 = {
  kind: "sec-form345",
  summary: "Insider Transactions Data Set of the SEC (zip or folder of TSV: SUBMISSION, NONDERIV_TRANS \u2026)",
  source: "SEC",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head, name) => tableIn(head) !== void 0 || isDescription(head, name),
  read: readMember
};
function tableIn(head) {
  const columns9 = columnsOf3(head);
  if (!columns9.includes("ACCESSION_NUMBER")) return void 0;
  return names.find((table) => columns9.includes(columnOf[table]));
}
var names = Object.keys(columnOf);
function isDescription(head, name) {
  if (/^\s*\{/.test(head)) return head.includes('"http://www.w3.org/ns/csvw"') && head.includes("_TRANS.tsv");
  return /^(?:FORM_345_)?(?:readme|note)s?\.(?:html?|txt|md)$/i.test(name) && /form[ _]?345/i.test(head + name);
}
function holdsSubmissionTable(head) {
  return tableIn(head) === "SUBMISSION";
}
async function* readMember(file) {
  const head = (await file.head()).toString();
  const table = tableIn(head);
  if (table === void 0 && !isDescription(head, file.name))
    throw refusal(file, {}, "not a table of the Insider Transactions Data Sets");
  if (table === void 0) return;
  const trades = tradeTables[table];
  if (table === "SUBMISSION") yield* aboutDataSet(file);
  if (trades === void 0) return;
  const impossible = new ImpossibleTrades();
  for await (const filings of readTrades(file, trades, await dataSetAround(file))) {
    for (const filing of filings) impossible.add(filing);
    yield { filings };
  }
  yield { notes: impossible.notes() };
}
async function* aboutDataSet(file) {
  await submissionsIn(file);
  const present2 = await tablesBeside(file);
  const notes = Object.entries(unknownWithout).filter(([table]) => !present2.has(table)).map(([table, unknown]) => `the data set has no table ${table}: ${unknown}`);
  yield { notes };
}
async function dataSetAround(file) {
  const beside = await tablesBeside(file);
  const submission = beside.get("SUBMISSION");
  if (submission === void 0) {
    const reason = "the table SUBMISSION, which has the filing dates, is not beside it";
    throw refusal(file, {}, reason, ["import the whole archive or folder of the data set"]);
  }
  const owner = beside.get("REPORTINGOWNER");
  return {
    submissions: await submissionsIn(submission),
    ...owner !== void 0 && { owners: await ownersIn(owner) }
  };
}
async function tablesBeside(file) {
  const found = /* @__PURE__ */ new Map();
  for (const sibling of await file.siblings()) {
    if (!/\.(?:tsv|txt)$/i.test(sibling.name)) continue;
    const table = tableIn((await sibling.head()).toString());
    if (table === void 0) continue;
    const other = found.get(table);
    if (other !== void 0 && (table === "SUBMISSION" || table === "REPORTINGOWNER"))
      throw refusal(
        sibling,
        {},
        `a second table ${table} beside ${other.path}; keep each data set in a separate folder or archive`
      );
    found.set(table, sibling);
  }
  return found;
}
var tradeColumns2 = [
  "ACCESSION_NUMBER",
  "SECURITY_TITLE",
  "TRANS_DATE",
  "TRANS_CODE",
  "TRANS_SHARES",
  "TRANS_PRICEPERSHARE",
  "TRANS_ACQUIRED_DISP_CD",
  "SHRS_OWND_FOLWNG_TRANS",
  "DIRECT_INDIRECT_OWNERSHIP"
];
async function* readTrades(file, { key }, { submissions, owners }) {
  const places = await placesInFilings(file, key);
  const isDerivative = key === "DERIV_TRANS_SK";
  for await (const rows of readTable2(file, [...tradeColumns2, key])) {
    yield rows.map((row) => {
      const cells = cellReader(file, row);
      const accessionNumber = cells.required(...accession);
      const unknown = (reason) => refusal(file, { row: row.row, column: "ACCESSION_NUMBER", value: accessionNumber }, reason);
      const submission = submissions.get(accessionNumber);
      if (submission === void 0)
        throw unknown("the table SUBMISSION does not have this filing, so its filing date is unknown");
      const known2 = owners?.get(accessionNumber);
      if (owners !== void 0 && known2 === void 0)
        throw unknown("the table REPORTINGOWNER has no owner of this filing");
      const place2 = places.get(accessionNumber)?.get(cells.required(key, parseKey, keyText)) ?? 0;
      const number2 = (column) => cells.maybe(column, parseAmount, "a number");
      const trade = {
        row: rowOf(isDerivative, place2),
        isDerivative,
        securityTitle: cells.text("SECURITY_TITLE"),
        transactionDate: cells.required("TRANS_DATE", parseTableDate, "a date of the form DD-MON-YYYY"),
        transactionCode: cells.text("TRANS_CODE"),
        acquiredDisposed: cells.maybe("TRANS_ACQUIRED_DISP_CD", acquiredOrDisposed, "A or D"),
        shares: number2("TRANS_SHARES"),
        pricePerShare: number2("TRANS_PRICEPERSHARE"),
        sharesOwnedAfter: number2("SHRS_OWND_FOLWNG_TRANS"),
        ownership: cells.maybe("DIRECT_INDIRECT_OWNERSHIP", directOrIndirect, "D or I")
      };
      return filingOf({ ...submission, owners: known2 ?? [] }, trade);
    });
  }
}
var keyText = "a whole number";
function parseKey(text) {
  return /^\d{1,15}$/.test(text) ? Number(text) : void 0;
}
async function placesInFilings(file, key) {
  const keys = /* @__PURE__ */ new Map();
  for await (const rows of readTable2(file, ["ACCESSION_NUMBER", key])) {
    for (const row of rows) {
      const cells = cellReader(file, row);
      const accessionNumber = cells.required(...accession);
      const own = keys.get(accessionNumber) ?? [];
      keys.set(accessionNumber, own);
      const value = cells.required(key, parseKey, keyText);
      const place2 = { row: row.row, column: key, value: String(value) };
      if (own.includes(value)) throw refusal(file, place2, "this trade appears twice");
      if (own.push(value) > mostTrades)
        throw refusal(
          file,
          place2,
          `the filing has more than ${mostTrades} trades, but the form has 30 lines`
        );
    }
  }
  const places = /* @__PURE__ */ new Map();
  for (const [accessionNumber, own] of keys) {
    own.sort((a, b) => a - b);
    places.set(accessionNumber, new Map(own.map((value, index) => [value, index + 1])));
  }
  return places;
}

// src/import/formats/sec/ownership-xml.ts
import { createHash as createHash4 } from "node:crypto";

// src/import/formats/sec/submissions-json.ts
init_date();
var secSubmissionsJson = {
  kind: "sec-submissions-json",
  summary: "list of filings of a company or person by the SEC (JSON); dates the XML imported with it",
  source: "SEC",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => holdsSubmissions(head),
  async *read(file) {
    const { filings, zone } = await readList(file);
    const count = filings.length === 1 ? "1 ownership filing" : `${filings.length} ownership filings`;
    const timeless = "its times of acceptance can be UTC or Eastern time, and are left out";
    const notes = zone === void 0 && filings.length > 0 ? [timeless] : [];
    yield { notes: [`dates ${count}; it has no trades itself`, ...notes] };
  }
};
function holdsSubmissions(head) {
  return /^\s*\{(?:[\s\S]*"filings"\s*:\s*\{\s*"recent"\s*:\s*\{)?\s*"accessionNumber"\s*:\s*\[/.test(head);
}
async function readSubmissions2(file) {
  return (await readList(file)).filings;
}
async function readList(file) {
  const { columns: columns9, owner } = await contentOf(file);
  const accessions = texts(file, columns9, "accessionNumber");
  const listOf2 = (name) => {
    const list2 = texts(file, columns9, name);
    if (list2.length === accessions.length) return list2;
    const reason = `${list2.length} entries, but accessionNumber has ${accessions.length}`;
    throw refusal(file, { column: name }, reason);
  };
  const lists2 = {
    form: listOf2("form"),
    filingDate: listOf2("filingDate"),
    acceptanceDateTime: columns9.acceptanceDateTime === void 0 ? [] : listOf2("acceptanceDateTime"),
    reportDate: columns9.reportDate === void 0 ? [] : listOf2("reportDate"),
    primaryDocument: columns9.primaryDocument === void 0 ? [] : listOf2("primaryDocument")
  };
  const zone = zoneOf(lists2);
  const filings = accessions.flatMap((accession2, index) => {
    const formType = parseForm(lists2.form[index] ?? "");
    if (formType === void 0) return [];
    const read = (column, value, parse2) => {
      const found = parse2(value);
      if (found !== void 0) return found;
      throw refusal(file, { row: index + 1, column, value }, "not in the form that the SEC uses");
    };
    const maybe = (column, parse2) => {
      const value = lists2[column][index] ?? "";
      return value === "" ? null : read(column, value, parse2);
    };
    const accepted = maybe("acceptanceDateTime", parseInstant);
    return [
      {
        accessionNumber: read("accessionNumber", accession2, parseAccession),
        formType,
        filedOn: read("filingDate", lists2.filingDate[index] ?? "", parseDay),
        acceptedAt: accepted === null || zone === void 0 ? null : instantIn[zone](accepted),
        periodOfReport: maybe("reportDate", parseStatedDate),
        // `xslF345X05/wk-form4.xml` is a rendering of `wk-form4.xml`.
        document: maybe("primaryDocument", (path) => documentOf(path.split("/").at(-1), owner))
      }
    ];
  });
  return { filings, zone: lists2.acceptanceDateTime.length === 0 ? "UTC" : zone };
}
var instantIn = { UTC: (text) => text, Eastern: easternAsUtc };
function zoneOf(lists2) {
  let [asUtc, asEastern] = [0, 0];
  for (const [index, text] of lists2.acceptanceDateTime.entries()) {
    const time = parseInstant(text);
    if (time === void 0) continue;
    const filing = [lists2.form[index] ?? "", lists2.filingDate[index] ?? ""];
    if (!isPossible(utcAsEastern(time), ...filing)) asUtc += 1;
    if (!isPossible(time, ...filing)) asEastern += 1;
  }
  if (asUtc === asEastern) return void 0;
  return asUtc < asEastern ? "UTC" : "Eastern";
}
function isPossible(clock, form, filedOn) {
  if (form === "EFFECT") return true;
  const [day, time] = [clock.slice(0, 10), clock.slice(11, 16)];
  if (time < "06:00" || time > "22:30") return false;
  if (parseForm(form) !== void 0) return day === filedOn;
  return !(/^(?:8-K|10-K|10-Q)(?:\/A)?$/.test(form) && time > "17:35" && day === filedOn);
}
function texts(file, columns9, name) {
  const list2 = columns9[name];
  if (!Array.isArray(list2)) throw refusal(file, { column: name }, "this list is missing");
  return list2.map((value, index) => {
    if (typeof value === "string") return value;
    throw refusal(file, { row: index + 1, column: name, value: JSON.stringify(value) }, "not a text");
  });
}
function documentOf(name = "", cik2) {
  return name === "" || cik2 === void 0 ? null : { name, cik: cik2 };
}
async function contentOf(file) {
  const object = await readJsonObject(file);
  const [, named = ""] = /CIK(\d{10})/.exec(file.name) ?? [];
  const owner = parseCik(String(object.cik ?? named));
  if (object.filings === void 0) return { columns: object, owner };
  const recent = isJsonObject(object.filings) ? object.filings.recent : void 0;
  if (isJsonObject(recent)) return { columns: recent, owner };
  throw refusal(file, { column: "filings" }, "the list of recent filings is missing");
}

// src/import/formats/sec/filing-dates.ts
async function listedFiling(file, accessionNumber, document, together) {
  const entries = (directory) => accessionNumber === void 0 ? (directory.byDocument.get(file.name) ?? []).filter((entry) => isOf(entry, document)) : directory.byNumber.get(accessionNumber) ?? [];
  const imported = entries(await directoryOf(together));
  const found = imported.length > 0 ? imported : entries(await directoryOf(await file.siblings()));
  const [first, ...others] = found;
  if (first === void 0) return void 0;
  for (const other of others) refuseContradiction(file, first, other);
  if (first.formType !== document.formType) {
    const reason = `form ${document.formType}, but ${first.path} lists ${first.accessionNumber} as form ${first.formType}`;
    throw refusal(file, { column: "documentType" }, reason);
  }
  return { ...first, acceptedAt: found.find(({ acceptedAt }) => acceptedAt !== null)?.acceptedAt ?? null };
}
function isOf({ document, ...entry }, { formType, periodOfReport, issuerCik, owners }) {
  const parties = [issuerCik, ...owners.map(({ cik: cik2 }) => cik2)];
  const same = entry.formType === formType && entry.periodOfReport === periodOfReport;
  return same && document !== null && parties.includes(document.cik);
}
function isDistinctive(name) {
  return /\d{6}/.test(name);
}
function refuseContradiction(file, one, other) {
  if (one.accessionNumber !== other.accessionNumber) {
    const both3 = `${one.accessionNumber} or ${other.accessionNumber} (${one.path})`;
    const hint = "rename it by its accession number: 000089924317024441.xml";
    throw refusal(file, {}, `by its name, form and period it could be ${both3}`, [hint]);
  }
  if (one.filedOn === other.filedOn && one.formType === other.formType) return;
  const stated2 = ({ path, formType, filedOn }) => `${path} states form ${formType}, filed on ${filedOn}`;
  throw refusal(file, { value: one.accessionNumber }, `${stated2(one)}, but ${stated2(other)}`);
}
var directories = /* @__PURE__ */ new WeakMap();
function directoryOf(files) {
  const known2 = directories.get(files) ?? makeDirectory(files);
  directories.set(files, known2);
  return known2;
}
async function makeDirectory(files) {
  const byNumber = /* @__PURE__ */ new Map();
  const byDocument = /* @__PURE__ */ new Map();
  const add = (map, key, entry) => {
    const entries = map.get(key);
    if (entries === void 0) map.set(key, [entry]);
    else entries.push(entry);
  };
  for (const file of files) {
    for (const listed of await listedOnce(file)) {
      const entry = { ...listed, path: file.path };
      add(byNumber, listed.accessionNumber, entry);
      const name = listed.document?.name ?? "";
      if (isDistinctive(name)) add(byDocument, name, entry);
    }
  }
  return { byNumber, byDocument };
}
var lists = /* @__PURE__ */ new WeakMap();
function listedOnce(file) {
  const known2 = lists.get(file) ?? listedIn(file);
  lists.set(file, known2);
  return known2;
}
async function listedIn(file) {
  if (!/\.(?:json|tsv|txt|sgml)$/i.test(file.name)) return [];
  const head = (await file.head()).toString();
  if (holdsSubmissions(head)) return readSubmissions2(file);
  if (holdsSubmissionTable(head)) {
    const submissions = [...(await submissionsIn(file)).values()];
    return submissions.map((submission) => ({ ...submission, document: null }));
  }
  if (parseForm(submissionType(head) ?? "") === void 0) return [];
  return [{ ...readHeader3(file, head), periodOfReport: null, document: null }];
}

// src/import/formats/sec/ownership-xml.ts
var secOwnershipXml = {
  kind: "sec-ownership-xml",
  summary: "Form 3, 4 or 5 of the SEC (ownership XML; filing date from a file beside it or --filed-on)",
  source: "SEC",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  takesFiledOn: true,
  recognise: (head) => /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<ownershipDocument\b/.test(head),
  read: readDocument
};
async function* readDocument(file, { filedOn, together = [] }) {
  const bytes = await allBytes(file.path, await file.open(), longestDocument);
  const document = await readOwnershipDocument(file, bytes);
  const inPath = accessionIn(file.path);
  const listed = await listedFiling(file, inPath, document, together);
  const known2 = listed?.filedOn ?? filedOn;
  if (known2 === void 0) throw undated(file, inPath);
  if (listed === void 0) refuseTooEarly(file, document, known2);
  const accessionNumber = inPath ?? listed?.accessionNumber ?? null;
  const filings = filingsOf(document, {
    filingId: accessionNumber ?? contentId(bytes),
    accessionNumber,
    filedOn: known2,
    acceptedAt: listed?.acceptedAt ?? null
  });
  const notes = [...withoutNumber(accessionNumber), ...unusedFilingDate(known2, filedOn)];
  yield { filings, notes: [...notes, ...notesOn(filings, document.owners)] };
}
function refuseTooEarly(file, document, filedOn) {
  const dates = [
    ["periodOfReport", document.periodOfReport],
    ["dateOfOriginalSubmission", document.originalFiledOn],
    ...document.trades.map(({ transactionDate }) => ["transactionDate", transactionDate])
  ];
  for (const [column, day] of dates) {
    if (day === null || day <= filedOn) continue;
    throw refusal(file, { column, value: day }, `later than the filing date ${filedOn} given by --filed-on`, [
      "--filed-on is the day on which the SEC accepted the document; import documents of other days separately",
      "if the date in the document is wrong, import it with a list of the SEC that dates it; the trade is then kept as stated and counts towards no cluster"
    ]);
  }
}
function contentId(bytes) {
  return `sha256-${createHash4("sha256").update(bytes).digest("hex").slice(0, 16)}`;
}
function withoutNumber(accessionNumber) {
  if (accessionNumber !== null) return [];
  return ["its accession number is unknown, because its file name does not have it"];
}
function undated(file, accessionNumber) {
  const list2 = accessionNumber === void 0 ? "or name it by its accession number and import it with a file that lists it" : `or import it with a file that lists ${accessionNumber}`;
  return refusal(file, {}, "the document does not state its filing date", [
    "pass --filed-on D, for documents that were all filed on that day",
    `${list2}: the SEC\u2019s submissions file of the company (CIK\u2026.json), or the table SUBMISSION of a data set`,
    "or import the full submission from EDGAR (.txt), whose header has the date"
  ]);
}

// src/import/formats/sec/submission-text.ts
var secSubmissionText = {
  kind: "sec-submission-text",
  summary: "full submission of a Form 3, 4 or 5 (text with the SGML header of EDGAR)",
  source: "SEC",
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => parseForm(submissionType(head) ?? "") !== void 0,
  read: readSubmission
};
async function* readSubmission(file, { filedOn, together = [] }) {
  const bytes = await allBytes(file.path, await file.open(), longestDocument);
  const text = bytes.toString("latin1");
  const header = readHeader3(file, text);
  const document = await readOwnershipDocument(file, embeddedXml(file, text, bytes));
  if (document.formType !== header.formType) {
    const reason = `the document states form ${document.formType}, but the header ${header.formType}`;
    throw refusal(file, { column: "documentType" }, reason);
  }
  await listedFiling(file, header.accessionNumber, document, together);
  const { formType: _, ...acceptance } = header;
  const filings = filingsOf(document, acceptance);
  yield {
    filings,
    notes: [...unusedFilingDate(header.filedOn, filedOn), ...notesOn(filings, document.owners)]
  };
}
var root = "<ownershipDocument";
var rootEnd = "</ownershipDocument>";
function embeddedXml(file, text, bytes) {
  const start = text.indexOf(root);
  if (start < 0) {
    const reason = "the submission has no ownership XML (before mid-2003 it was plain text)";
    throw refusal(file, {}, reason);
  }
  const end = text.indexOf(rootEnd, start);
  if (end < 0) throw refusal(file, {}, "the submission is cut short: its ownership XML does not end");
  if (text.includes(root, start + root.length))
    throw refusal(file, {}, "the submission has two ownership documents");
  const linesBefore = text.slice(0, start).split(/\r\n?|\n/).length - 1;
  return Buffer.concat([Buffer.from("\n".repeat(linesBefore)), bytes.subarray(start, end + rootEnd.length)]);
}

// src/import/formats/treasury/xml.ts
init_date();
init_decimal();
init_curve();
var source = "U.S. Treasury";
var largestFeed = 64 * 2 ** 20;
var rateName = /^(BC|TC)_(\d+(?:_5)?)(MONTH|YEAR)$/;
var displayName = "BC_30YEARDISPLAY";
var treasuryXml = {
  kind: "treasury-xml",
  summary: "daily par or real yield curve of the U.S. Treasury (XML feed)",
  source,
  vintageKind: void 0,
  whole: false,
  takesAsOf: false,
  recognise: (head) => /^\s*(?:<\?xml[^>]*>\s*)?<feed\b/.test(head) && /DailyTreasury(?:Real)?YieldCurveRateDat|<(?:\w+:)?[BT]C_\d/.test(head),
  read: readFeed
};
var plainName = /^(?:Id|NEW_DATE|BC_30YEARDISPLAY|[#@].*)$/;
async function* readFeed(file) {
  const { root: root2, lineOf } = await parseXml(file, await allBytes(file.path, await file.open(), largestFeed), [
    "entry"
  ]);
  if (!isNode(root2.feed)) throw refusal(file, {}, "this XML is not a feed");
  const entries = listOf(root2.feed.entry);
  if (entries.length === 0) throw refusal(file, {}, "the feed has no entry");
  const refuse = (element, place2, reason) => {
    const row = lineOf(element);
    return refusal(file, row === void 0 ? place2 : { ...place2, row }, reason);
  };
  const days = entries.map((entry) => pointsOf(entry, refuse));
  const fault = impossibleDates(new Set(days.map(({ tradeDate }) => tradeDate)));
  if (fault !== void 0) throw refusal(file, {}, fault);
  const empty = days.filter(({ points }) => points.length === 0);
  yield {
    points: days.flatMap(({ points }) => points),
    ...empty.length > 0 && {
      notes: empty.map(({ tradeDate }) => `${tradeDate} has no rates: a day without a curve`)
    }
  };
}
function pointsOf(entry, refuse) {
  const content = isNode(entry) ? entry.content : void 0;
  const properties = isNode(content) ? content.properties : void 0;
  if (!isNode(properties)) throw refuse(entry, {}, "an entry without properties");
  const tradeDate = dateOf(properties, refuse);
  const rates = Object.entries(properties).filter(([name]) => /^[BT]C_/.test(name) && name !== displayName);
  if (rates.length === 0 && Object.keys(properties).some((name) => !plainName.test(name)))
    throw refuse(entry, {}, "an entry without BC_\u2026 or TC_\u2026 rates");
  const points = rates.flatMap(([column, element]) => {
    const found = maturityNamed2(column);
    if (found === void 0) throw refuse(element, { column }, "not a maturity that asof knows");
    const rate = rateOf(column, element, refuse);
    if (rate === void 0) return [];
    const point = { ...found, tradeDate, rate, source };
    const fault2 = impossiblePoint(point);
    if (fault2 !== void 0) throw refuse(properties, { column, value: rate }, fault2);
    return [point];
  });
  const fault = impossibleRates(points);
  if (fault !== void 0) throw refuse(properties, { value: tradeDate }, fault);
  return { tradeDate, points };
}
function dateOf(properties, refuse) {
  const value = textOf2(properties.NEW_DATE) ?? "";
  const [, date4 = ""] = /^(\d{4}-\d{2}-\d{2})(?:T00:00:00(?:\.0+)?Z?)?$/.exec(value) ?? [];
  const day = parseDay(date4);
  if (day !== void 0) return day;
  throw refuse(properties, { column: "NEW_DATE", value }, "not a date of the form YYYY-MM-DDT00:00:00");
}
function rateOf(column, element, refuse) {
  const [first, second] = listOf(element);
  if (second !== void 0) throw refuse(first, { column }, "the element appears twice in one entry");
  if (isNode(element) && element["@_null"] === "true") return void 0;
  const value = textOf2(element);
  if (value === "") return void 0;
  if (value === void 0) throw refuse(element, { column }, "elements instead of a rate");
  const rate = parseDecimal(value);
  if (rate === void 0) throw refuse(element, { column, value }, "not a rate");
  return rate;
}
function maturityNamed2(name) {
  const [, prefix, count = "", unit = ""] = rateName.exec(name) ?? [];
  return curveMaturity(prefix === "TC" ? "TIPS" : "PAR", count.replace("_", "."), unit);
}

// src/import/formats/unsupported.ts
var fredEndpoints = [
  ["vintage_dates", "series/vintagedates"],
  ["release_dates", "releases/dates"],
  ["releases", "releases"],
  ["sources", "sources"],
  ["categories", "category"],
  ["tags", "tags"],
  ["elements", "release/tables"]
];
var unsupportedFiles = [
  {
    matches: pattern(
      /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head)\b/is
    ),
    description: "a web page, perhaps an error or login page saved instead of the file; download it again"
  },
  {
    matches: pattern(/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*<!doctype\b/is),
    description: "XML with a document type declaration (DOCTYPE), which could include other files; remove the declaration"
  },
  {
    matches: pattern(/^\s*\{\s*"object"\s*:\s*"[a-z_]+"|^\s*\{.*"request_id"\s*:\s*"req_/s),
    description: "an answer of asof, which lacks statements; import what `asof facts` writes"
  },
  {
    matches: pattern(/^\s*(?:-----BEGIN PRIVACY-ENHANCED MESSAGE-----|<(?:SEC|IMS)-(?:DOCUMENT|HEADER)>)/),
    description: "a submission to the SEC, but not of form 3, 4 or 5"
  },
  {
    matches: pattern(/^\s*(?:<\?xml[^>]*>\s*)?<(?:edgarSubmission|XML|DOCUMENT|TYPE)\b/),
    description: "a part of a submission to the SEC, but not an ownership document"
  },
  {
    matches: pattern(/^ACCESSION_NUMBER\t/),
    description: "a table of an SEC data set, but not of the Insider Transactions Data Sets"
  },
  {
    matches: pattern(/^\s*\{.*"error_message"\s*:/s),
    description: "an error response of the FRED API; request it again"
  },
  ...fredEndpoints.map(([member, endpoint]) => ({
    matches: pattern(new RegExp(`^\\s*\\{(?!.*"observations"\\s*:).*"${member}"\\s*:\\s*[[{]`, "s")),
    description: `a response of the FRED API, but of ${endpoint}; the figures are in series/observations`
  })),
  {
    matches: pattern(
      /^\s*(?:<\?xml[^>]*>\s*)?<(?:vintage_dates|releases?|release_dates|sources?|categories|tags)\b[^>]*realtime_start/
    ),
    description: "a response of the FRED API in XML, but not of series/observations or series"
  },
  {
    matches: pattern(/^\s*(?:<\?xml[^>]*>\s*)?<feed\b.*DailyTreasury/s),
    description: "a feed of the Treasury, but not of the daily par or real yield curve"
  },
  {
    matches: begins2("version https://git-lfs.github.com/"),
    description: "a Git LFS pointer, not the file itself; run `git lfs pull`"
  },
  { matches: begins2("PK"), description: "an Office document, but not a workbook of a known kind" },
  { matches: begins2("%PDF-"), description: "a PDF document; save its table as CSV" },
  {
    matches: begins2("\xD0\xCF\xE0"),
    description: "an old Word file, or an old Excel file that is not named .xls"
  },
  {
    matches: begins2("SQLite format 3"),
    description: "a SQLite database, perhaps a store of asof; stores cannot be imported"
  },
  { matches: begins2("PAR1"), description: "a Parquet file; save it as CSV" },
  {
    matches: begins2("\x8B", "(\xB5/\xFD", "\xFD7zXZ", "7z\xBC\xAF", "BZh", "Rar!"),
    description: "a compressed file; unpack it first"
  },
  {
    matches: (head) => head.startsWith("ustar", 257),
    description: "a tar archive; unpack it and import the folder"
  }
];
function describeUnsupported(head) {
  return unsupportedFiles.find(({ matches }) => matches(head))?.description;
}
function pattern(regexp) {
  return (head) => regexp.test(head);
}
function begins2(...signatures) {
  return (head) => signatures.some((signature) => head.startsWith(signature));
}

// src/import/formats/recognise.ts
var formats = [
  asofCsv,
  metadataCsv,
  fredApi,
  fredSeries,
  alfredWide,
  alfredPeriods,
  alfredFirstReleases,
  alfredReadme,
  alfredWorkbook,
  fredCsv,
  fredWorkbook,
  fredMd,
  fredQd,
  datedPanel,
  plainCsv,
  rtdsm,
  treasuryParCsv,
  treasuryRealCsv,
  treasuryXml,
  h15Csv,
  secForm345,
  secOwnershipXml,
  secSubmissionText,
  secSubmissionsJson
];
var kinds2 = formats.map(({ kind }) => kind).join(", ");
var UnknownFile = class extends Problem {
};
async function recognise(file, chosen) {
  const head = await file.head();
  if (head.length === 0) throw refusal(file, {}, "the file is empty (0 bytes)");
  if (chosen !== void 0) return chosen;
  const isZip = head.subarray(0, 4).toString("latin1") === "PK";
  const isWorkbook2 = isZip ? /\.xlsx$/i.test(file.name) : isOldWorkbook(head) && /\.xls$/i.test(file.name);
  const text = (isWorkbook2 ? await workbookHead(file) : void 0) ?? headText(head);
  const [format, other] = formats.filter((candidate) => candidate.recognise(text, file.name));
  if (format === void 0) throw unrecognised(file, text);
  if (other === void 0) return format;
  throw refusal(file, {}, `could be ${format.kind} or ${other.kind}`, ["pass --kind KIND"]);
}
function formatOfKind(kind) {
  const format = formats.find((candidate) => candidate.kind === kind);
  if (format !== void 0) return format;
  throw new Problem("bad-input", `unknown kind of file ${JSON.stringify(kind)}`, {
    field: "kind",
    hints: [`the kinds are ${kinds2}`]
  });
}
function headText(head) {
  if (isBinary(head)) return head.toString("latin1");
  return new TextDecoder("utf-8").decode(head, { stream: true });
}
function isBinary(head) {
  if (head.includes(0)) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return false;
  } catch {
    return true;
  }
}
function unrecognised(file, text) {
  const nearest = inWorkbook(text) ?? nearestOrUnsupported(file, text);
  const { reason, hints } = nearest ?? {
    reason: `not a format that asof reads; it starts with ${firstLine(text)}`,
    hints: ["`asof help formats` shows the formats; --kind KIND reads the file as one of them"]
  };
  return new UnknownFile("bad-input", refusal(file, {}, reason).detail, { hints });
}
function nearestOrUnsupported(file, text) {
  const description = describeUnsupported(text);
  if (description === void 0) return nearestTo(text, file.name, formats);
  return { reason: `this looks like ${description}`, hints: [] };
}
function inWorkbook(head) {
  for (const header of sheetHeadersIn(head)) {
    const like = formats.find((format) => format.recognise(`${header}
`, ""));
    if (like !== void 0)
      return { reason: `like ${like.kind}, but in a workbook`, hints: ["save the sheet as CSV"] };
  }
  return void 0;
}
function firstLine(text) {
  const line = text.split(/[\r\n]+/).find((candidate) => candidate.trim() !== "") ?? "";
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 60)}\u2026` : line);
}

// src/import/load/load.ts
init_problem();
import { createHash as createHash5 } from "node:crypto";

// src/import/load/conflict.ts
init_date();
init_decimal();
init_problem();
var ImportRefusal = class extends Problem {
  conflicts;
  constructor(all) {
    const conflicts = withoutConsequences(all);
    super("bad-input", textOf5(conflicts, conflicts.length), { hints: hintsFor(conflicts) });
    this.conflicts = conflicts;
  }
  /** The same refusal with at most `most` conflicts in its list; the message says how many it leaves out. */
  cutAt(most) {
    return this.conflicts.length > most ? this.with({ detail: textOf5(this.conflicts, most) }) : this;
  }
};
function textOf5(conflicts, most) {
  const count = conflicts.length === 1 ? "1 conflict" : `${conflicts.length} conflicts`;
  const causes = causesOf(conflicts);
  const byCause = causes.length > 1 ? `${causes.join(", ")}; ` : "";
  const lines = conflicts.slice(0, most).map((conflict) => `  ${describe(conflict)}`);
  const left = conflicts.length - lines.length;
  const more = left > 0 ? [`  \u2026 and ${left} more, which are all listed where stderr is not a terminal`] : [];
  return [`${count}; ${byCause}nothing was imported:`, ...lines, ...more].join("\n");
}
var few = 20;
var mostSeriesNamed = 5;
function withoutConsequences(conflicts) {
  const refused = new Set(
    conflicts.flatMap(
      (conflict) => conflict.kind === "metadata" && conflict.shown === true ? [conflict.seriesId] : []
    )
  );
  return conflicts.filter(
    (conflict) => !((conflict.kind === "value" || conflict.kind === "period") && refused.has(conflict.seriesId))
  );
}
var causeNames = {
  metadata: ["description", "descriptions"],
  source: ["source", "sources"],
  value: ["value", "values"],
  period: ["period", "periods"],
  rate: ["rate", "rates"],
  filing: ["trade", "trades"]
};
function causesOf(conflicts) {
  const counts2 = /* @__PURE__ */ new Map();
  for (const conflict of conflicts) {
    const of = conflict.kind === "value" && conflicts.length > few ? ` of ${conflict.seriesId}` : "";
    const entry = counts2.get(conflict.kind + of) ?? { kind: conflict.kind, of, count: 0 };
    counts2.set(conflict.kind + of, entry);
    entry.count += 1;
  }
  const inOrder = [...counts2.values()].sort((a, b) => b.count - a.count);
  const named = inOrder.slice(0, mostSeriesNamed).map(({ kind, of, count }) => {
    const [one, several] = causeNames[kind];
    return `${count} ${count === 1 ? one : several}${of}`;
  });
  const others = inOrder.slice(mostSeriesNamed).reduce((sum, { count }) => sum + count, 0);
  return others > 0 ? [...named, `${others} of others`] : named;
}
function describe(conflict) {
  switch (conflict.kind) {
    case "value": {
      const { file, seriesId, date: date4, asOf, held, given } = conflict;
      return `${file}: ${seriesId} ${date4} as of ${asOf}: ${valueText(given)}, against ${valueText(held)}`;
    }
    case "period": {
      const { seriesId, date: date4, asOf, held, given } = conflict;
      return `${seriesId} ${date4} as of ${asOf}: two dates of one period: ${valueText(given)}, against ${valueText(held)}`;
    }
    case "rate": {
      const { held, given } = conflict;
      const point = `${given.curveType} ${given.tradeDate} ${given.maturity}`;
      return `${conflict.file}: ${point}: ${given.rate} (${given.source}), against ${held.rate} (${held.source})`;
    }
    case "filing": {
      const { held, given, fields } = conflict;
      const differing = fields.map(
        (field) => `${nameOf(field)} ${shown2(given, field)}, against ${shown2(held, field)}`
      );
      return `${conflict.file}: filing ${given.filingId} row ${given.row}: ${differing.join("; ")}`;
    }
    case "metadata": {
      const { seriesId, field, held, given } = conflict;
      if (conflict.shown === true)
        return `${conflict.file}: ${seriesId} frequency: ${JSON.stringify(given)}, against ${JSON.stringify(held)}, by the figures of the files`;
      return `${conflict.file}: ${seriesId} ${field}: ${JSON.stringify(given)}, against ${JSON.stringify(held)}`;
    }
    case "source":
      return conflict.held.length > 0 ? `${conflict.seriesId} is from ${list(conflict.held)}; this import brings it from ${list(conflict.given)}` : `${conflict.seriesId} comes from several sources at once: ${list(conflict.given)}`;
  }
}
function list(sources) {
  return sources.map((source2) => JSON.stringify(source2)).join(" and ");
}
var otherNames = {
  filedOn: "filing_date",
  originalFiledOn: "original_filing_date",
  is10b51: "is_10b5_1"
};
function nameOf(field) {
  return otherNames[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
function shown2(filing, field) {
  if (field === "owners") return filing.owners.map(ownerText).join(" and ");
  const value = filing[field];
  return typeof value === "string" ? value : JSON.stringify(value);
}
function ownerText({ cik: cik2, name, isDirector, isOfficer, isTenPercent }) {
  const roles = [
    ...isDirector ? ["director"] : [],
    ...isOfficer ? ["officer"] : [],
    ...isTenPercent ? ["ten-percent owner"] : []
  ];
  return `${name} (${[cik2 ?? "no CIK", ...roles].join(", ")})`;
}
function valueText(value) {
  return value ?? "withdrawn";
}
function hintsFor(conflicts) {
  const replaceable = conflicts.some(
    (conflict) => conflict.kind === "metadata" ? conflict.shown !== true : /^(?:value|rate|filing)$/.test(conflict.kind) && !isBothNew(conflict)
  );
  const kinds3 = new Set(conflicts.map(({ kind }) => kind));
  const otherFrequency = conflicts.some(
    (conflict) => conflict.kind === "metadata" && conflict.shown === true
  );
  const hints = [];
  if (replaceable) hints.push("--replace accepts the new ones");
  if (conflicts.some(isBothNew))
    hints.push("both values are new: import one file after the other with --replace, or remove one value");
  if (kinds3.has("source") || otherFrequency) hints.push("--id OLD=NEW imports the series under another id");
  if (kinds3.has("source")) hints.push("--merge accepts both sources in one series");
  if (kinds3.has("period")) hints.push("a metadata file can state the frequency");
  return hints;
}
function isBothNew(conflict) {
  return conflict.kind === "value" && conflict.bothNew === true;
}
var StatementLog = class {
  #series = /* @__PURE__ */ new Map();
  /**
   * Adds statements of one series, whose dates stand for periods of its frequency; gives their conflicts with each other
   * and with those added before. Whether years are fiscal is known at the end only, so dates of years are compared as they
   * are.
   */
  add(seriesId, statements, frequency = "") {
    const vintages = entryOf(this.#series, seriesId);
    return statements.flatMap(({ date: published, asOf, value }) => {
      const date4 = frequency === "A" ? published : periodStart(published, frequency);
      const values = entryOf(vintages, asOf);
      const held = values.get(date4);
      if (held === void 0) values.set(date4, value);
      return held === void 0 || sameNumber(held, value) ? [] : [{ date: date4, asOf, held, given: value }];
    });
  }
};
function entryOf(map, key) {
  const known2 = map.get(key) ?? /* @__PURE__ */ new Map();
  map.set(key, known2);
  return known2;
}

// src/import/load/rates.ts
init_decimal();
init_curve();
var Rates = class {
  #file;
  #held;
  #stated = /* @__PURE__ */ new Map();
  /** `held` are the ids that the store holds as series. */
  constructor(file, held) {
    this.#file = file;
    this.#held = held;
  }
  /** Whether statements of a series are rates. */
  has(seriesId) {
    return !this.#held.has(seriesId) && maturityNamed(seriesId) !== void 0;
  }
  /** Takes a statement of a series that `has` accepts. */
  add(seriesId, { date: date4, asOf, value }) {
    const dates = this.#stated.get(seriesId) ?? /* @__PURE__ */ new Map();
    this.#stated.set(seriesId, dates);
    const rate = dates.get(date4) ?? {};
    dates.set(date4, rate);
    if (value === null) {
      if (asOf > (rate.gone ?? "")) rate.gone = asOf;
      return;
    }
    if (rate.value !== void 0 && rate.asOf !== void 0 && !sameNumber(rate.value, value)) {
      const values = `${rate.value} as of ${rate.asOf} and ${value} as of ${asOf}`;
      throw this.#changed(seriesId, date4, `it is ${values}`);
    }
    rate.value ??= value;
    if (rate.asOf === void 0 || asOf < rate.asOf) rate.asOf = asOf;
  }
  /** The points of the curves; refused if no curve can have them. */
  points() {
    const points = [];
    for (const [seriesId, dates] of this.#stated) {
      const maturity = maturityNamed(seriesId);
      if (maturity !== void 0) points.push(...this.#pointsOf(seriesId, maturity, dates));
    }
    const days = /* @__PURE__ */ new Map();
    for (const point of points) days.set(point.tradeDate, [...days.get(point.tradeDate) ?? [], point]);
    for (const [day, rates] of days) {
      const fault = impossibleRates(rates);
      if (fault !== void 0) throw refusal(this.#file, { value: day }, fault);
    }
    return points;
  }
  /** A note that names the rates. */
  notes() {
    const ids = [...this.#stated.keys()].sort();
    if (ids.length === 0) return [];
    const are = ids.length === 1 ? "is a maturity" : "are maturities";
    return [`${ids.join(", ")} ${are} of the curves: each rate is known from its trade date`];
  }
  #pointsOf(seriesId, { curveType, maturity }, dates) {
    const points = [];
    for (const [date4, { value, asOf = "", gone = "" }] of dates) {
      if (value === void 0) continue;
      if (gone > asOf)
        throw this.#changed(seriesId, date4, `${value} as of ${asOf} is withdrawn as of ${gone}`);
      points.push({ curveType, maturity, tradeDate: date4, rate: value, source: h15Source });
    }
    const fault = impossibleDates(new Set(points.map(({ tradeDate }) => tradeDate)));
    if (fault !== void 0) throw refusal(this.#file, { column: seriesId }, fault);
    for (const point of points) {
      const reason = impossiblePoint(point);
      if (reason !== void 0)
        throw refusal(this.#file, { column: seriesId, value: point.tradeDate }, reason);
    }
    return points;
  }
  #changed(seriesId, date4, reason) {
    return refusal(
      this.#file,
      { column: seriesId, value: date4 },
      `${reason}, but a curve has one rate for each trade date`,
      [`--id ${seriesId}=NAME keeps it as a series with its revisions`]
    );
  }
};
async function heldAsSeries(writer) {
  return writer.withStatements(yieldSeries.map(({ id }) => id));
}

// src/import/load/tally.ts
init_date();
var Tally = class {
  /** Values of periods that begin after the day on which they were known. */
  projections = 0;
  #vintages = /* @__PURE__ */ new Map();
  #filings = /* @__PURE__ */ new Set();
  #notes = [];
  #added = 0;
  #known = 0;
  #withdrawn = 0;
  #described;
  /** Counts a vintage of a series. */
  vintage(seriesId, asOf) {
    this.#daysOf(seriesId).add(asOf);
  }
  /** Counts the outcome of a merge; `seriesId` can also name a curve. */
  add(seriesId, { added, known: known2, withdrawn }) {
    this.#daysOf(seriesId);
    this.#added += added;
    this.#known += known2;
    this.#withdrawn += withdrawn;
  }
  /** Counts trades of filings. */
  addTrades(trades, { added, known: known2 }) {
    for (const { filingId } of trades) this.#filings.add(filingId);
    this.#added += added;
    this.#known += known2;
  }
  /** Counts descriptions of series, and notes what they change. */
  describe(changes) {
    for (const { kind, fields } of changes) {
      const { added, changed, known: known2 } = this.#described ?? { added: 0, changed: 0, known: 0 };
      this.#described = { added, changed, known: known2, [kind]: { added, changed, known: known2 }[kind] + 1 };
      for (const { seriesId, field, before, after } of fields)
        this.#notes.push(`${seriesId} ${field}: ${JSON.stringify(after)}, before ${JSON.stringify(before)}`);
    }
  }
  note(...notes) {
    this.#notes.push(...notes);
  }
  summary(file, kind) {
    return {
      file,
      kind,
      series: this.#vintages.size,
      vintages: [...this.#vintages.values()].reduce((sum, days) => sum + days.size, 0),
      filings: this.#filings.size,
      statementsNew: this.#added,
      statementsKnown: this.#known,
      withdrawn: this.#withdrawn,
      projections: this.projections,
      ...this.#described !== void 0 && { described: this.#described },
      notes: this.#notes
    };
  }
  #daysOf(seriesId) {
    const days = this.#vintages.get(seriesId) ?? /* @__PURE__ */ new Set();
    this.#vintages.set(seriesId, days);
    return days;
  }
};
var ByteProgress = class {
  total;
  #before = 0;
  #size = 0;
  #read = 0;
  #stored = 0;
  constructor(files) {
    this.total = files.reduce((sum, { size }) => sum + size, 0);
  }
  /** Begins the next file; returns it with reads that are counted. */
  begin(file) {
    this.#before += this.#size;
    this.#size = file.size;
    this.#read = 0;
    this.#stored = 0;
    const tap = (bytes) => {
      this.#read = Math.min(file.size, this.#read + bytes);
    };
    return { ...file, open: () => file.open(tap), bytes: () => file.bytes(tap) };
  }
  /** The bytes that are stored, plus this share (0..1) of those that are read and not yet stored. */
  done(share) {
    return this.#before + this.#stored + (this.#read - this.#stored) * share;
  }
  /** Marks everything read so far as stored. */
  store() {
    this.#stored = this.#read;
  }
};
var Projections = class {
  #late = [];
  /** Takes a statement of the series that the store knows as `id`. */
  add(id, { date: date4, asOf, value }) {
    if (value !== null && date4 > asOf) this.#late.push({ seriesId: id, date: date4, asOf });
  }
  /** The projections among the statements taken: a quarter that is dated by its last month begins earlier than its date. */
  async found(registry) {
    const frequencies3 = await registry.frequencies(new Set(this.#late.map(({ seriesId }) => seriesId)));
    return this.#late.filter(
      ({ seriesId, date: date4, asOf }) => periodStart(date4, frequencies3.get(seriesId) ?? "") > asOf
    );
  }
};
function isDatedByHand({ takesAsOf, statesAsOf }, asOf) {
  return statesAsOf === "by hand" || takesAsOf && asOf !== void 0;
}
function projectionsRefused(file, found, { statesAsOf }) {
  const isStated = statesAsOf !== void 0;
  const [first] = [...found].sort((a, b) => a.date < b.date ? -1 : 1);
  const dates = new Set(found.map(({ date: date4 }) => date4)).size;
  const days = new Set(found.map(({ asOf }) => asOf));
  const begin = dates === 1 ? "1 date begins" : `${dates} dates begin`;
  const after = days.size === 1 ? `after ${first?.asOf}` : "after the day as of which their values are stated";
  const example = `the first is ${first?.date} of ${first?.seriesId}${days.size === 1 ? "" : ` as of ${first?.asOf}`}`;
  const ofStated = days.size === 1 ? "is that the day of publication?" : "are these the days of publication?";
  const question = isStated ? ofStated : "was the file downloaded that day?";
  return refusal(file, {}, `${begin} ${after} (${example}); ${question}`, [
    "--projections accepts values of periods that had not begun, such as potential output and survey medians"
  ]);
}

// src/import/load/file-loader.ts
var defaultBufferSize = 4e5;
var FileLoader = class {
  #file;
  #format;
  #import;
  #tally = new Tally();
  #projections = new Projections();
  #rates;
  #waiting = /* @__PURE__ */ new Map();
  #waitingCount = 0;
  /** The dates that each vintage lists, by series; set if dates that are not listed are withdrawn. */
  #listed = /* @__PURE__ */ new Map();
  /** The vintages that speak for every date, by series. */
  #completed = /* @__PURE__ */ new Map();
  #rows = 0;
  constructor(file, format, state) {
    this.#file = state.progress.begin(file);
    this.#format = format;
    this.#import = state;
    this.#rates = new Rates(this.#file, state.heldRates);
  }
  async load() {
    const { options, registry, progress } = this.#import;
    const { bufferSize = defaultBufferSize } = options;
    for await (const batch of this.#format.read(this.#file, options)) {
      const { statements = [], complete = [], points: points2 = [], filings = [], notes = [] } = batch;
      this.#tally.describe(await registry.take(this.#withoutRates(batch), this.#file.path));
      this.#collect(statements);
      for (const vintage of complete) this.#complete(vintage);
      if (points2.length > 0) await this.#mergePoints(points2);
      if (filings.length > 0) await this.#mergeFilings(filings);
      this.#tally.note(...notes);
      this.#rows += statements.length + points2.length + filings.length;
      if (this.#waitingCount === 0) progress.store();
      await this.#report(0);
      if (this.#waitingCount >= bufferSize) await this.#mergeWaiting();
    }
    await this.#countProjections();
    const points = this.#rates.points();
    if (points.length > 0) await this.#mergePoints(points);
    this.#tally.note(...this.#rates.notes());
    await this.#mergeWaiting();
    await this.#mergeComplete();
    return this.#tally.summary(this.#file.path, this.#format.kind);
  }
  async #report(share) {
    const { options, progress } = this.#import;
    const { total } = progress;
    await options.onProgress?.({
      file: this.#file.path,
      rows: this.#rows,
      done: progress.done(share),
      total
    });
  }
  /** Collects statements by series until they are merged. */
  #collect(statements) {
    const { registry, options } = this.#import;
    let seriesId;
    let id = "";
    let isRate = false;
    let target = [];
    for (const statement of statements) {
      if (statement.seriesId !== seriesId) {
        seriesId = statement.seriesId;
        id = registry.idOf(seriesId);
        isRate = this.#rates.has(id);
        if (!isRate) {
          registry.claim(seriesId, this.#format.source);
          target = this.#waiting.get(id) ?? [];
          this.#waiting.set(id, target);
        }
      }
      if (statement.asOf > options.latest) throw this.#future(statement.asOf, statement.seriesId);
      if (isRate) {
        this.#rates.add(id, statement);
        this.#projections.add(id, statement);
        continue;
      }
      target.push(statement);
      this.#waitingCount += 1;
      this.#projections.add(id, statement);
      if (options.complete && this.#format.whole) this.#list(id, statement);
    }
  }
  /** A batch without what its vintages imply of rates, which have none. */
  #withoutRates(batch) {
    const { coverage = [], implied = [] } = batch;
    const isSeries = ({ seriesId }) => !this.#rates.has(this.#import.registry.idOf(seriesId));
    return { ...batch, coverage: coverage.filter(isSeries), implied: implied.filter(isSeries) };
  }
  async #countProjections() {
    const { options, registry } = this.#import;
    const found = await this.#projections.found(registry);
    this.#tally.projections = found.length;
    if (found.length > 0 && options.projections !== true && isDatedByHand(this.#format, options.asOf))
      throw projectionsRefused(this.#file, found, this.#format);
  }
  #list(id, { asOf, date: date4 }) {
    const vintages = this.#listed.get(id) ?? /* @__PURE__ */ new Map();
    this.#listed.set(id, vintages);
    const dates = vintages.get(asOf) ?? /* @__PURE__ */ new Set();
    vintages.set(asOf, dates);
    dates.add(date4);
  }
  #complete({ seriesId, asOf, kind }) {
    const { registry, options } = this.#import;
    if (asOf > options.latest) throw this.#future(asOf, seriesId);
    const id = registry.idOf(seriesId);
    if (this.#rates.has(id)) return;
    const vintages = this.#completed.get(id) ?? [];
    this.#completed.set(id, vintages);
    vintages.push({ asOf, kind });
  }
  async #mergeWaiting() {
    const { writer, options, registry, log, conflicts, progress } = this.#import;
    const { vintageKind: kind } = this.#format;
    const count = this.#waitingCount;
    let merged = 0;
    for (const [seriesId, statements] of this.#waiting) {
      await this.#report(merged / count);
      merged += statements.length;
      for (const { asOf } of statements) this.#tally.vintage(seriesId, asOf);
      const frequency = log && (await registry.frequencies(/* @__PURE__ */ new Set([seriesId]))).get(seriesId);
      for (const conflict of log?.add(seriesId, statements, frequency) ?? [])
        conflicts.push({ kind: "value", file: this.#file.path, seriesId, bothNew: true, ...conflict });
      this.#count(seriesId, await writer.merge(seriesId, statements, { ...options, kind }));
    }
    this.#waiting.clear();
    this.#waitingCount = 0;
    progress.store();
  }
  async #mergeComplete() {
    const { writer, options } = this.#import;
    const { vintageKind: kind } = this.#format;
    for (const [id, listed] of this.#listed) {
      const vintages = Array.from(listed, ([asOf, dates]) => ({ asOf, dates }));
      this.#count(id, await writer.complete(id, vintages, { ...options, kind }));
    }
    for (const [id, vintages] of this.#completed)
      this.#count(id, await writer.complete(id, vintages, { ...options, kind }));
  }
  #count(seriesId, merged) {
    this.#tally.add(seriesId, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: "value", file: this.#file.path, seriesId, ...conflict });
  }
  async #mergePoints(points) {
    const { writer, options } = this.#import;
    for (const { tradeDate, curveType } of points) {
      if (tradeDate > options.latest) throw this.#future(tradeDate, `the ${curveType} curve`);
    }
    for (const curveType of new Set(points.map((point) => point.curveType))) {
      const own = points.filter((point) => point.curveType === curveType);
      const { added, known: known2, conflicts } = await writer.mergePoints(own, options);
      this.#tally.add(`${curveType} curve`, { added, known: known2, withdrawn: 0 });
      for (const conflict of conflicts)
        this.#import.conflicts.push({ kind: "rate", file: this.#file.path, ...conflict });
    }
  }
  async #mergeFilings(filings) {
    const { writer, options } = this.#import;
    for (const { filedOn, filingId } of filings) {
      if (filedOn > options.latest) throw this.#notFiledYet(filedOn, filingId);
    }
    const merged = await writer.mergeFilings(filings, options);
    this.#tally.addTrades(filings, merged);
    for (const conflict of merged.conflicts)
      this.#import.conflicts.push({ kind: "filing", file: this.#file.path, ...conflict });
  }
  #future(day, what) {
    const { latest } = this.#import.options;
    return refusal(
      this.#file,
      { value: day },
      `${what} is dated in the future; today is at most ${latest}`,
      this.#format.takesAsOf ? ["pass the date on which the figures were known with --as-of"] : []
    );
  }
  #notFiledYet(day, filingId) {
    const { latest } = this.#import.options;
    const reason = `the filing ${filingId} is dated in the future; today is at most ${latest}`;
    return refusal(this.#file, { value: day }, reason);
  }
};

// src/import/load/registry.ts
init_date();
init_problem();
var Registry = class {
  #writer;
  #options;
  #conflicts;
  #entries = /* @__PURE__ */ new Map();
  #renamed = /* @__PURE__ */ new Set();
  constructor(writer, options, conflicts) {
    this.#writer = writer;
    this.#options = options;
    this.#conflicts = conflicts;
  }
  /** The id under which the store keeps a series of a file. */
  idOf(seriesId) {
    const to = this.#options.rename.get(seriesId);
    if (to === void 0) return seriesId;
    this.#renamed.add(seriesId);
    return to;
  }
  /** Records that facts of a series come from a format of this source; undefined for a format that names none. */
  claim(seriesId, source2) {
    const entry = this.#entryOf(this.idOf(seriesId));
    if (source2 === void 0) entry.unclaimed = true;
    else entry.claims.add(source2);
  }
  /** The frequencies of series, as stated or implied so far. */
  async frequencies(ids) {
    await this.#load(ids);
    return new Map(
      Array.from(ids, (id) => {
        const { stated: stated2, implied } = recordOf2(id, this.#entryOf(id));
        return [id, stated2.frequency ?? implied.frequency ?? ""];
      })
    );
  }
  /** Adds the metadata and the coverage of a batch. */
  async take({ metadata = [], implied = [], coverage = [] }, file) {
    const changed = new Set([...metadata, ...implied].map(({ seriesId }) => this.idOf(seriesId)));
    if (changed.size + coverage.length === 0) return [];
    await this.#load(changed);
    const changes = [];
    const { replace, redescribe = replace } = this.#options;
    for (const stated2 of metadata) {
      const id = this.idOf(stated2.seriesId);
      changes.push(changeOf(recordOf2(id, this.#entryOf(id)), { ...stated2, seriesId: id }));
      const entry = this.#combine(stated2, file, (record, own) => withStated(record, own, redescribe));
      if (stated2.source !== void 0) entry.metadataSource = stated2.source;
    }
    for (const given of implied) this.#combine(given, file, withImplied);
    await this.#put(changed);
    const changedOn = this.#options.importedAt.slice(0, 10);
    for (const { fields } of changes)
      for (const field of fields) await this.#writer.recordChange({ ...field, changedOn });
    await this.#cover([...metadata, ...coverage]);
    return changes;
  }
  /** Checks sources, and finishes every series that was mentioned; call it once, after all files. */
  async finish() {
    for (const id of this.#options.rename.keys()) {
      if (!this.#renamed.has(id))
        throw new Problem("bad-input", `--id ${id}=\u2026: the files have no series ${id}`);
    }
    const ids = [...this.#entries.keys()];
    await this.#load(ids);
    await this.#put([...this.#entries].flatMap(([id, entry]) => this.#setSource(id, entry) ? [id] : []));
    for (const [seriesId, conflicts] of await this.#writer.finish(ids)) {
      for (const conflict of conflicts) this.#conflicts.push({ kind: "period", seriesId, ...conflict });
    }
  }
  #entryOf(id) {
    const known2 = this.#entries.get(id);
    if (known2 !== void 0) return known2;
    const entry = {
      record: void 0,
      metadataSource: void 0,
      unclaimed: false,
      claims: /* @__PURE__ */ new Set()
    };
    this.#entries.set(id, entry);
    return entry;
  }
  async #load(ids) {
    const missing2 = [...ids].filter((id) => this.#entryOf(id).record === void 0);
    if (missing2.length === 0) return;
    const records = await this.#writer.records(missing2);
    for (const id of missing2) this.#entryOf(id).record = records.get(id) ?? newRecord(id);
  }
  async #put(ids) {
    const records = /* @__PURE__ */ new Map();
    for (const id of ids) records.set(id, recordOf2(id, this.#entryOf(id)));
    if (records.size > 0) await this.#writer.putRecords(records);
  }
  #combine(given, file, combined) {
    const id = this.idOf(given.seriesId);
    const entry = this.#entryOf(id);
    const { record, conflicts } = combined(recordOf2(id, entry), { ...given, seriesId: id });
    for (const conflict of conflicts) this.#conflicts.push({ kind: "metadata", file, ...conflict });
    entry.record = record;
    return entry;
  }
  async #cover(items) {
    const days = /* @__PURE__ */ new Map();
    for (const { seriesId, coveredTo: coveredTo2 } of items) {
      if (coveredTo2 === void 0) continue;
      const id = this.idOf(seriesId);
      this.#entryOf(id);
      const day = earlier(coveredTo2, this.#options.latest);
      if (day > (days.get(id) ?? "")) days.set(id, day);
    }
    if (days.size > 0) await this.#writer.cover(days);
  }
  /** Adds the sources of new facts to a series; false if there are none or if they are a conflict. */
  #setSource(id, entry) {
    const record = recordOf2(id, entry);
    const claims = [...entry.claims];
    if (entry.unclaimed && entry.metadataSource !== void 0) claims.push(entry.metadataSource);
    const held = record.hadStatements ? sourcesOf(record) : [];
    const all = [.../* @__PURE__ */ new Set([...held, ...claims])];
    const foreign3 = held.length > 0 ? claims.some((claim) => !held.includes(claim)) : all.length > 1;
    if (foreign3 && !this.#options.merge) {
      this.#conflicts.push({ kind: "source", seriesId: id, held, given: claims });
      return false;
    }
    if (claims.length === 0) return false;
    entry.record = withSources(record, all);
    return true;
  }
};
function recordOf2(id, { record }) {
  return record ?? newRecord(id);
}
function newRecord(id) {
  return { stated: { seriesId: id }, implied: { seriesId: id }, hadStatements: false };
}
var separator = "; ";
var labels = {
  seasonalAdjustment: "seasonal adjustment",
  vintageKind: "vintage kind"
};
function changeOf(record, { coveredTo: givenTo, seriesId, ...given }) {
  const { stated: stated2 } = record;
  let kind = givenTo !== void 0 && givenTo > (stated2.coveredTo ?? "") ? "added" : "known";
  const fields = [];
  for (const [field, after] of Object.entries(given)) {
    const before = stated2[field];
    if (before === void 0) kind = "added";
    else if (before !== after) fields.push({ seriesId, field: labels[field] ?? field, before, after });
  }
  return { kind: fields.length > 0 ? "changed" : kind, fields };
}
function withStated(record, given, replace) {
  const conflicts = [];
  const { coveredTo: heldTo, ...held } = record.stated;
  const { coveredTo: givenTo, ...fields } = given;
  for (const [field, value] of Object.entries(fields)) {
    const before = held[field];
    if (before === void 0 || before === value || replace) continue;
    conflicts.push({ seriesId: given.seriesId, field: labels[field] ?? field, held: before, given: value });
  }
  const implied = record.implied.frequency;
  if (given.frequency !== void 0 && implied !== void 0 && implied !== given.frequency) {
    const { seriesId, frequency } = given;
    conflicts.push({ seriesId, field: "frequency", held: implied, given: frequency, shown: true });
  }
  const coveredTo2 = [heldTo ?? "", givenTo ?? ""].sort().at(-1) ?? "";
  const stated2 = { ...held, ...fields, ...coveredTo2 !== "" && { coveredTo: coveredTo2 } };
  return { record: { ...record, stated: stated2 }, conflicts };
}
function withImplied(record, given) {
  const held = record.stated.frequency ?? record.implied.frequency;
  if (given.frequency === void 0) return { record, conflicts: [] };
  if (held !== void 0 && held !== given.frequency) {
    const { seriesId, frequency } = given;
    return { record, conflicts: [{ seriesId, field: "frequency", held, given: frequency, shown: true }] };
  }
  return { record: { ...record, implied: { ...record.implied, frequency: given.frequency } }, conflicts: [] };
}
function sourcesOf(record) {
  const source2 = record.implied.source ?? record.stated.source;
  return source2 === void 0 ? [] : source2.split(separator);
}
function withSources(record, sources) {
  if (sources.length === 0) return record;
  const held = record.implied.source?.split(separator) ?? [];
  const source2 = [.../* @__PURE__ */ new Set([...held, ...sources])].sort().join(separator);
  return { ...record, implied: { ...record.implied, source: source2 } };
}

// src/import/load/load.ts
async function load(inputs, writer, options) {
  checkFiledOn(inputs, options);
  checkFlags(inputs, options);
  const files = inputs.map(({ file }) => file);
  const conflicts = [];
  const shared = {
    writer,
    options: { ...options, together: files },
    registry: new Registry(writer, options, conflicts),
    conflicts,
    progress: new ByteProgress(files),
    heldRates: await heldAsSeries(writer),
    log: options.replace ? new StatementLog() : void 0
  };
  const summaries = [];
  const records = [];
  for (const { file, format } of inputs) {
    const summary = await new FileLoader(file, format, shared).load();
    const {
      vintages: _vintages,
      filings: _filings,
      projections: _projections,
      notes: _notes,
      described: _described,
      ...logged
    } = summary;
    records.push({ ...logged, importedAt: options.importedAt, sha256: await file.sha256() });
    const notes = [...unusedAsOf(format, options, summary.vintages), ...summary.notes];
    summaries.push({ ...summary, notes });
  }
  for (const record of inOneRecord(records, options.loggedAs)) await writer.recordImport(record);
  await shared.registry.finish();
  if (conflicts.length > 0) {
    if (options.onConflicts === void 0) throw new ImportRefusal(conflicts);
    options.onConflicts(conflicts);
  }
  return summaries;
}
function inOneRecord(records, name) {
  const [first] = records;
  if (name === void 0 || first === void 0 || records.length === 1) return records;
  const sum = (key) => records.reduce((all, record) => all + record[key], 0);
  const sha256 = createHash5("sha256").update(records.map((record) => `${record.sha256}
`).join("")).digest("hex");
  return [
    {
      ...first,
      file: name,
      sha256,
      series: sum("series"),
      statementsNew: sum("statementsNew"),
      statementsKnown: sum("statementsKnown"),
      withdrawn: sum("withdrawn")
    }
  ];
}
var flags = [
  {
    name: "--as-of",
    isGiven: ({ asOf }) => asOf !== void 0,
    takes: ({ takesAsOf }) => takesAsOf,
    reason: "the file states when its figures were known"
  },
  {
    name: "--complete",
    isGiven: ({ complete }) => complete,
    takes: ({ whole }) => whole,
    reason: "it is for files of whole vintages"
  },
  {
    name: "--series",
    isGiven: ({ series }) => series !== void 0,
    takes: ({ takesSeries }) => takesSeries === true,
    reason: "the file names its series (--id OLD=NEW renames one)"
  }
];
function checkFlags(inputs, options) {
  for (const { name, isGiven, takes, reason } of flags) {
    const [first] = inputs;
    if (first === void 0 || !isGiven(options) || inputs.some(({ format }) => takes(format))) continue;
    throw refusal(first.file, {}, `${name} does not apply to ${first.format.kind}: ${reason}`, [
      `leave out ${name}`
    ]);
  }
}
function unusedAsOf({ takesAsOf }, { asOf }, vintages) {
  if (asOf === void 0 || takesAsOf || vintages === 0) return [];
  return [`the file states when its figures were known; --as-of ${asOf} is ignored`];
}
function checkFiledOn(inputs, { filedOn }) {
  if (filedOn === void 0 || inputs.some(({ format }) => format.takesFiledOn === true)) return;
  throw new Problem("bad-input", "--filed-on applies to ownership XML only, and this import has none", {
    field: "filed_on"
  });
}

// src/import/import.ts
async function importFiles(paths, options) {
  const { store, signal = new AbortController().signal } = options;
  if (isDatabase(store)) return importInTurn(paths, options);
  return inTurn(await fileOf(store), signal, () => importInTurn(paths, options));
}
async function fileOf(address) {
  const path = resolve(address);
  const real = (name) => realpath2(name).catch(() => void 0);
  return await real(path) ?? join6(await real(dirname5(path)) ?? dirname5(path), basename5(path));
}
async function importInTurn(paths, options) {
  const { store, clock = () => /* @__PURE__ */ new Date(), signal, onProgress, dryRun = false } = options;
  const asOf = checkedDay("asOf", options.asOf);
  const filedOn = checkedDay("filedOn", options.filedOn);
  const series = options.series === void 0 ? void 0 : checkedId("series", options.series);
  const rename = new Map(
    Object.entries(options.rename ?? {}).map((ids) => {
      const [from = "", to = ""] = ids.map((id) => checkedId("rename", id));
      return [from, to];
    })
  );
  if (paths.length === 0) throw new Problem("bad-input", "nothing to import: name files or folders");
  const order = dateOrder(options.dateFormat);
  const { files, skipped } = await recognisedFiles(paths, options, order);
  const write = async (writer) => {
    const now = clock();
    const summaries = await load(files, writer, {
      rename,
      merge: options.merge === true,
      replace: options.replace === true,
      complete: options.complete === true,
      projections: options.projections === true,
      latest: latestDay(now),
      importedAt: now.toISOString(),
      onProgress: async (progress) => {
        await tick();
        signal?.throwIfAborted();
        onProgress?.({ stage: "load", ...progress });
      },
      ...asOf !== void 0 && { asOf },
      ...filedOn !== void 0 && { filedOn },
      ...series !== void 0 && { series }
    });
    await tick();
    signal?.throwIfAborted();
    if (dryRun) await writer.rollback();
    else await writer.commit();
    const log = dryRun || writer.created ? [] : await importLog(store);
    const outdated = log.filter((entry) => entry.outdated).map(({ file }) => file);
    const { address, created } = writer;
    return { store: address, created, dryRun, files: summaries, skipped, outdated };
  };
  return writing(store, write, options.withSample === true ? samplePath() : void 0);
}
async function importLog(address) {
  const store = await openStore(address);
  try {
    return await store.read((view) => view.imports());
  } finally {
    await store.close();
  }
}
async function recognisedFiles(paths, { kind, signal, onProgress, skipUnknown = false, stdin }, order) {
  const chosen = kind === void 0 ? void 0 : formatOfKind(kind);
  const found = await sourceFiles(paths, stdin);
  const total = found.length;
  const files = [];
  const skipped = [];
  const refused = [];
  for (const [index, file] of found.entries()) {
    signal?.throwIfAborted();
    try {
      const format = await recognise(file, chosen);
      files.push({ file: order === void 0 ? file : { ...file, dateOrder: order }, format });
    } catch (error) {
      if (!(error instanceof Problem) || error.kind !== "bad-input") throw error;
      if (error instanceof UnknownFile && (skipUnknown || isReadme2(file))) skipped.push(file.path);
      else refused.push(error);
    }
    onProgress?.({ stage: "recognise", file: file.path, done: index + 1, total });
  }
  if (refused.length > 0) throw unreadable(refused, total);
  if (files.length === 0) throw new Problem("bad-input", `no file to import: ${skipped.join(", ")} left out`);
  return { files, skipped };
}
function isReadme2({ name, inArchive }) {
  return inArchive === true && /readme[^.]*\.(?:txt|md|html?)$/i.test(name);
}
function unreadable(refused, total) {
  const [first, ...others] = refused;
  const hints = refused.some((problem) => problem instanceof UnknownFile) ? ["--skip-unknown leaves out the files that no format recognises"] : [];
  if (first !== void 0 && others.length === 0)
    return total === 1 ? first : first.with({ hints: [...hints, ...first.hints] });
  const lines = refused.map(({ detail: detail2 }) => `  ${detail2}`);
  const detail = [`${refused.length} of ${total} files cannot be read; nothing was imported:`, ...lines];
  return new Problem("bad-input", detail.join("\n"), { hints });
}
function dateOrder(text) {
  if (text === void 0) return void 0;
  const letters = text.toLowerCase().replace(/[^a-z]/g, "").replace(/(.)\1+/g, "$1");
  if (letters === "mdy") return "M/D/YYYY";
  if (letters === "dmy") return "D/M/YYYY";
  throw new Problem("bad-input", `date format ${JSON.stringify(text)}: use M/D/YYYY or D/M/YYYY`, {
    field: "date-format"
  });
}
function checkedDay(option, text) {
  const day = text === void 0 ? void 0 : parseDay(text);
  if (day === void 0 && text !== void 0)
    throw new Problem(
      "bad-input",
      `${option} ${JSON.stringify(text)}: ${faultOfDay(text) ?? "use YYYY-MM-DD"}`
    );
  return day;
}
function checkedId(option, text) {
  const id = parseSeriesId(text);
  if (id === void 0)
    throw new Problem("bad-input", `${option} ${JSON.stringify(text)}: not a series id: ${seriesIdForm}`);
  return id;
}

// ../../s5c/prof.ts
var t = /* @__PURE__ */ new Map();
var q = pg3.Client.prototype.query;
pg3.Client.prototype.query = function(...a) {
  const text = (a[0]?.text ?? String(a[0])).replace(/\s+/g, " ").slice(0, 90);
  const s2 = performance.now();
  const r = q.apply(this, a);
  r?.then?.(() => {
    const e = t.get(text) ?? { n: 0, ms: 0 };
    e.n++;
    e.ms += performance.now() - s2;
    t.set(text, e);
  }, () => {
  });
  return r;
};
var s = performance.now();
await importFiles([process.argv[3]], { store: process.argv[2], clock: () => /* @__PURE__ */ new Date(), signal: new AbortController().signal, stdin: process.stdin, rename: {}, merge: false, replace: false, complete: false, projections: true, skipUnknown: false, withSample: false, dryRun: false, onProgress: () => {
} });
console.log("total", performance.now() - s);
for (const [k, v] of [...t].sort((a, b) => b[1].ms - a[1].ms).slice(0, 14)) console.log(v.n, v.ms.toFixed(0), k);
process.exit(0);
