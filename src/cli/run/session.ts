import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '../../client/client.ts';
import { openClient } from '../../client/open.ts';
import { type Day, utcDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { ConnectionFlags } from '../../lines/shared-parts.ts';
import { makeFolder } from '../../platform/files.ts';
import { variable } from '../../platform/installation.ts';
import type { OutputPlace } from '../../render/output.ts';
import { shownAddress } from '../../store/address.ts';
import { chosenBaseUrl, type StoreChoice, storeToRead } from '../config/places.ts';
import { chosenSetting } from '../config/settings.ts';
import type { Io } from '../terminal/io.ts';
import type { Messages } from '../terminal/messages.ts';

/** Which store or service to ask, and where to print what it does. */
export type SessionFlags = {
  readonly connection: ConnectionFlags;
  readonly messages: Messages;
  /** The last day of which a store knows anything; by default today. */
  readonly asOf?: Day | undefined;
};

/** A moment at which a day is today, and the latest day that has begun anywhere on Earth. */
function momentOn(day: Day): Date {
  return new Date(`${day}T09:00:00Z`);
}

/** Runs `work` with a client of the chosen service or store, and closes it in any case. */
export async function withClient<T>(
  { connection, messages, asOf }: SessionFlags,
  io: Io,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const service = chosenBaseUrl(io, connection);
  // Loaded here: a query of a local store needs nothing of it.
  const remote = service && (await import('./remote-session.ts'));
  const client =
    service && remote
      ? await remote.openRemote(service, connection, io, messages)
      : await openLocal(connection, asOf, io, messages);
  try {
    return await work(reporting(client, io, messages));
  } finally {
    await client.close();
  }
}

async function openLocal(
  { store: flag }: ConnectionFlags,
  asOf: Day | undefined,
  io: Io,
  messages: Messages,
): Promise<Client> {
  const store = storeToRead(io, flag);
  const clock = asOf === undefined ? io.clock : () => momentOn(asOf);
  const client = await ofStore(store, (path) => openClient({ store: path, clock }));
  if (store.isSample && messages.hasReader && isDueToday(io, 'sample'))
    messages.noteOnTerminal('asof: the shipped sample answers; `asof import` starts a store of your own');
  messages.detail(`asof: store ${shownAddress(store.path)}`);
  return client;
}

/** Whether a notice was not printed yet today (UTC), which is remembered; true if it cannot be remembered. */
function isDueToday(io: Io, notice: string): boolean {
  const today = utcDay(io.clock());
  const path = join(io.folders.cache, `${notice}-notice`);
  try {
    if (readFileSync(path, 'utf8') === today) return false;
  } catch {
    // It was never printed, or the file cannot be read.
  }
  try {
    makeFolder(io.folders.cache, 0o700);
    writeFileSync(path, today);
  } catch {
    // A notice too many is no reason to fail.
  }
  return true;
}

/** What `work` gives for a store; its failure says which variable or setting names the store. */
export async function ofStore<T>(
  { path, namedBy }: StoreChoice,
  work: (path: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(path);
  } catch (error) {
    if (namedBy === undefined || !(error instanceof Problem)) throw error;
    throw error.with({ hints: [...error.hints, `${namedBy} names this store`] });
  }
}

/** The same client; prints each request for `-v`. */
function reporting(client: Client, { clock }: Io, { detail, trace }: Messages): Client {
  return {
    ...client,
    async ask(operation, texts, options) {
      const started = clock().getTime();
      const page = await client.ask(operation, texts, options);
      const words = texts.map(([name, text]) => `${name}=${text}`).join(' ');
      detail(
        `asof: ${operation.name} ${words}: ${page.results.length} rows, ${clock().getTime() - started} ms`,
      );
      trace(`asof: ${page.request_id}`);
      return page;
    },
  };
}

/** The terminal, if stdout is one, and the output that the environment and the settings ask for. */
export function outputPlace(io: Io): OutputPlace {
  const { isTTY, columns, rows } = io.stdout;
  const plotWidth = /^[1-9]\d{0,3}$/.exec(variable(io, 'COLUMNS') ?? '')?.[0];
  const colour = wantedColour(io);
  const format = chosenSetting(io, 'format')?.value;
  return {
    ...(isTTY === true && { terminal: { columns: columns || 80, ...(rows && { rows }) } }),
    ...(format !== undefined && { format }),
    ...(colour !== undefined && { colour }),
    ...(plotWidth !== undefined && { plotWidth: Number(plotWidth) }),
  };
}

function wantedColour(io: Io): boolean | undefined {
  if (variable(io, 'NO_COLOR') !== undefined) return false;
  const forced = variable(io, 'FORCE_COLOR');
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return io.env.TERM === 'dumb' ? false : undefined;
}
