import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { asof, median, timedAsof } from './measure.mjs';
import { duration } from './report.mjs';

const connections = 32;
const seconds = 4;
const rounds = 3;
const series = ['UNRATE', 'PAYEMS', 'CPIAUCSL', 'CPILFESL', 'M2SL'];
const firstDay = Date.UTC(1999, 0, 1);
const days = 9000;

/** The HTTP service against a bare node:http server that sends the same bytes: repeated pages, different pages, memory. */
export async function serve(folder) {
  const { service, key } = await startService(folder);
  const started = [service];
  try {
    const headers = { 'x-api-key': key };
    const rival = await startRival(folder, await recorded(pageOf(service.url, 0), headers));
    started.push(rival);
    const load = (target) => timedRun({ connections, duration: seconds, headers, ...target });
    const sides = { rival: [], repeated: [], different: [] };
    const paths = pathsInSteps(1);
    for (let round = 0; round <= rounds; round += 1) {
      const figures = {
        rival: await load({ url: pageOf(rival.url, 0) }),
        repeated: await load({ url: pageOf(service.url, 0) }),
        different: await load({
          url: service.url,
          requests: [{ setupRequest: (request) => ({ ...request, path: paths.next().value }) }],
        }),
      };
      if (round > 0) for (const [side, figure] of Object.entries(figures)) sides[side].push(figure);
    }
    return [...lines(sides), await memory(service, headers)];
  } finally {
    for (const { child } of started) child.kill();
  }
}

function lines({ rival, repeated, different }) {
  const middle = (side, name) => median(side.map((figures) => figures[name]));
  const [bare, again, anew] = [rival, repeated, different].map((side) => middle(side, 'rate'));
  const p50 = middle(rival, 'p50');
  const [p99, p99anew] = [repeated, different].map((side) => middle(side, 'p99'));
  const perSecond = (figure) => `${Math.round(figure).toLocaleString('en-US')}/s`;
  const theirs = `node:http ${perSecond(bare)}`;
  const latency = { theirs: `p50 of node:http ${duration(p50)}`, atMost: 20 };
  return [
    {
      name: 'serve: the same page again',
      ours: perSecond(again),
      theirs,
      figure: again / bare,
      atLeast: 0.5,
    },
    {
      name: 'serve: every page different',
      ours: perSecond(anew),
      theirs,
      figure: anew / bare,
      atLeast: 0.06,
    },
    { name: 'serve: p99, the same page', ours: duration(p99), ...latency, figure: p99 / p50 },
    { name: 'serve: p99, different pages', ours: duration(p99anew), ...latency, figure: p99anew / p50 },
  ];
}

/** Resident memory after 200 000 requests more, half of them for pages never asked for before. */
async function memory({ url, child }, headers) {
  const before = residentMb(child.pid);
  const paths = pathsInSteps(7);
  const half = { connections, amount: 100_000, headers };
  await run({ ...half, url: pageOf(url, 1) });
  await run({
    ...half,
    url,
    requests: [{ setupRequest: (request) => ({ ...request, path: paths.next().value }) }],
  });
  await delay(1000);
  const after = residentMb(child.pid);
  return {
    name: 'serve: memory after 200 000 requests more',
    ours: `${after.toFixed(0)} MB`,
    theirs: `${before.toFixed(0)} MB before`,
    figure: after / before,
    atMost: 1.25,
  };
}

/** The page of 100 rows of a series as of a day; numbers give different pages, some 45 000 of them. */
function pathOf(number) {
  const day = new Date(firstDay + (number % days) * 86_400_000).toISOString().slice(0, 10);
  return `/v1/series/${series[number % series.length]}/observations?as_of=${day}`;
}

/** Addresses of pages without end. */
function* pathsInSteps(step) {
  for (let number = step; ; number += step) yield pathOf(number);
}

function pageOf(url, number) {
  return `${url}${pathOf(number)}`;
}

/** Requests a second, and how long answers took: by our own count, because autocannon's is in whole milliseconds. */
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
    throw new Error(`${result.errors} errors, ${result.non2xx} answers that are none`);
  return result;
}

async function recorded(url, headers) {
  const response = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
  const hop = ['connection', 'keep-alive', 'date', 'transfer-encoding'];
  const kept = [...response.headers].filter(([name]) => !hop.includes(name));
  return { headers: Object.fromEntries(kept), body: await response.text() };
}

async function startService(folder) {
  const [access, plans, keyFile] = ['access.db', 'plans.json', 'key'].map((name) => join(folder, name));
  const limit = 2_147_483_647;
  const limits = { monthly_limit: limit, daily_limit: limit, rate_per_minute: limit };
  writeFileSync(plans, JSON.stringify([{ name: 'bench', vintage_access: true, ...limits }]));
  const owner = ['--access', access, '--plans', plans];
  timedAsof(['keys', 'create', '--name', 'bench', '--plan', 'bench', ...owner], { output: keyFile });
  const sample = join(import.meta.dirname, '../dist/sample.db');
  const service = await started([asof, 'serve', '--port', '0', '--store', sample, ...owner]);
  return { service, key: readFileSync(keyFile, 'utf8').trim() };
}

async function startRival(folder, answer) {
  const file = join(folder, 'answer.json');
  writeFileSync(file, JSON.stringify(answer));
  return started([join(import.meta.dirname, 'bare-server.mjs'), file]);
}

/** A server in a process of its own, once it says where it listens; what it logs is read and dropped. */
function started(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with ${code}: ${said}`)));
    child.stderr.on('data', (text) => {
      if (said.length < 10_000) said += text;
      const url = /listens on (http:\/\/[^"\s]+)/.exec(said)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
  });
}

function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}
