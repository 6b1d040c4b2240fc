import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { median, tool } from './measure.mjs';
import { duration } from './report.mjs';
import { started, startService } from './servers.mjs';

const autocannon = tool('autocannon');

const connections = 32;
const seconds = 4;
const rounds = 3;
const series = ['UNRATE', 'PAYEMS', 'CPIAUCSL', 'CPILFESL', 'M2SL'];
const firstDay = Date.UTC(1999, 0, 1);
const days = 9000;

/** The HTTP service against a bare node:http server that sends the same bytes: repeated pages, different pages, memory. */
export async function serve(folder) {
  const { service, key, otherKey } = await startService(folder);
  const started = [service];
  try {
    const headers = { 'x-api-key': key };
    const rival = await startRival(folder, await recorded(pageOf(service.url, 0), headers));
    started.push(rival);
    const load = (target) => timedRun({ connections, duration: seconds, headers, ...target });
    const sides = { rival: [], repeated: [], days: [], rows: [] };
    const [days, rows] = [targets(pathsInSteps(1)), targets(pathsOfOtherRows())];
    for (let round = 0; round <= rounds; round += 1) {
      const figures = {
        rival: await load({ url: pageOf(rival.url, 0) }),
        repeated: await load({ url: pageOf(service.url, 0) }),
        days: await load({ url: service.url, requests: days }),
        rows: await load({ url: service.url, requests: rows }),
      };
      if (round > 0) for (const [side, figure] of Object.entries(figures)) sides[side].push(figure);
    }
    return [...lines(sides), await neighbours(service.url, key, otherKey), await memory(service, headers)];
  } finally {
    for (const { child } of started) child.kill();
  }
}

function lines({ rival, repeated, days, rows }) {
  const middle = (side, name) => median(side.map((figures) => figures[name]));
  const bare = middle(rival, 'rate');
  const p50 = middle(rival, 'p50');
  const perSecond = (figure) => `${Math.round(figure).toLocaleString('en-US')}/s`;
  const theirs = `node:http ${perSecond(bare)}`;
  const latency = { theirs: `p50 of node:http ${duration(p50)}`, atMost: 20 };
  const asked = [
    ['the same page again', repeated, 0.7],
    ['every page as of another day', days, 0.2],
    ['no two pages with the same rows', rows, 0.12],
  ];
  const rates = asked.map(([name, side, atLeast]) => ({
    name: `serve: ${name}`,
    ours: perSecond(middle(side, 'rate')),
    theirs,
    figure: middle(side, 'rate') / bare,
    atLeast,
  }));
  const waits = asked.map(([name, side]) => ({
    name: `serve: p99, ${name}`,
    ours: duration(middle(side, 'p99')),
    ...latency,
    // With 32 requests always waiting for one process, the last one is set by the rate above it.
    ...(side === rows && { atMost: undefined }),
    figure: middle(side, 'p99') / p50,
  }));
  return [...rates, ...waits];
}

/** How long a ping takes while another key has four panels in the making, and beside four pages of observations. */
async function neighbours(url, key, otherKey) {
  const panel = '/v1/panel?ids=*&as_of_each=month-end&from=1990-01-01&to=2020-12-31&last=12&format=csv';
  const beside = async (pathOfOther) => {
    const stop = new AbortController();
    const asking = Array.from({ length: 4 }, async () => {
      for (let number = 0; !stop.signal.aborted; number += 1) {
        const asked = fetch(url + pathOfOther(number), {
          headers: { 'x-api-key': otherKey },
          signal: stop.signal,
        });
        await asked.then((answer) => answer.arrayBuffer()).catch(() => undefined);
      }
    });
    const figures = await timedRun({
      url: `${url}/v1/ping`,
      connections: 1,
      duration: seconds,
      headers: { 'x-api-key': key },
    });
    stop.abort();
    await Promise.all(asking);
    return figures.p99;
  };
  const rounds = [];
  for (let round = 0; round < 3; round += 1) rounds.push([await beside(pathOf), await beside(() => panel)]);
  const [pages, panels] = [0, 1].map((side) => median(rounds.map((round) => round[side])));
  return {
    name: "serve: p99 of a ping beside another key's panels",
    ours: duration(panels),
    theirs: `${duration(pages)} beside pages`,
    figure: panels / pages,
    atMost: 5,
  };
}

/** Resident memory after 200 000 more requests, half of them for pages that were never requested before. */
async function memory({ url, child }, headers) {
  const before = residentMb(child.pid);
  const half = { connections, amount: 100_000, headers };
  await run({ ...half, url: pageOf(url, 1) });
  await run({ ...half, url, requests: targets(pathsInSteps(7)) });
  await delay(1000);
  const after = residentMb(child.pid);
  return {
    name: 'serve: memory after 200 000 more requests',
    ours: `${after.toFixed(0)} MB`,
    theirs: `${before.toFixed(0)} MB before`,
    figure: after / before,
    atMost: 1.25,
  };
}

/** The path of a page of 100 rows of a series as of a date; different numbers give some 45 000 different pages. */
function pathOf(number) {
  const day = new Date(firstDay + (number % days) * 86_400_000).toISOString().slice(0, 10);
  return `/v1/series/${series[number % series.length]}/observations?as_of=${day}`;
}

/** Paths of pages, without end. */
function* pathsInSteps(step) {
  for (let number = step; ; number += step) yield pathOf(number);
}

/** Paths of pages, no two with the same rows: each begins on another date. */
function* pathsOfOtherRows() {
  for (let number = 1; ; number += 1) {
    const from = new Date(firstDay - (number % 9973) * 86_400_000).toISOString().slice(0, 10);
    yield `${pathOf(number)}&from=${from}`;
  }
}

function targets(paths) {
  return [{ setupRequest: (request) => ({ ...request, path: paths.next().value }) }];
}

function pageOf(url, number) {
  return `${url}${pathOf(number)}`;
}

/** Requests a second, and response times by our own clock, because autocannon's has whole milliseconds. */
async function timedRun(options) {
  const taken = [];
  const note = (_status, _bytes, ms) => taken.push(ms);
  const { requests } = await run({ ...options, setupClient: (client) => client.on('response', note) });
  taken.sort((a, b) => a - b);
  const at = (share) => taken[Math.floor(taken.length * share)];
  return { rate: requests.average, p50: at(0.5), p99: at(0.99) };
}

async function run(options) {
  const result = await autocannon({ ...options, pipelining: 1 });
  if (result.errors + result.non2xx > 0)
    throw new Error(`${result.errors} errors, ${result.non2xx} answers without status 2xx`);
  return result;
}

async function recorded(url, headers) {
  const response = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
  const hop = ['connection', 'keep-alive', 'date', 'transfer-encoding'];
  const kept = [...response.headers].filter(([name]) => !hop.includes(name));
  return { headers: Object.fromEntries(kept), body: await response.text() };
}

async function startRival(folder, answer) {
  const file = join(folder, 'answer.json');
  writeFileSync(file, JSON.stringify(answer));
  return started([join(import.meta.dirname, 'bare-server.mjs'), file]);
}

function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
