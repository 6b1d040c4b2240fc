import { existsSync } from 'node:fs';
import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { print, streamSink } from '../../platform/sink.ts';
import { outputChoice, rendererFor } from '../../render/output.ts';
import { renderPages } from '../../render/renderer.ts';
import { newKey } from '../../server/keys/gate.ts';
import { loadPlans } from '../../server/keys/plans.ts';
import { isDatabase, shownAddress } from '../../store/address.ts';
import { openAccess } from '../../store/open.ts';
import { accessPath } from '../config/places.ts';
import type { KeysLine } from '../options/line.ts';
import { outputPlace } from '../run/session.ts';
import type { Io } from '../terminal/io.ts';
import { exitCode } from '../terminal/io.ts';
import { messagesOf } from '../terminal/messages.ts';

type CreateLine = Extract<KeysLine, { command: 'keys create' }>;
type ListLine = Extract<KeysLine, { command: 'keys list' }>;
type RevokeLine = Extract<KeysLine, { command: 'keys revoke' }>;

/** `asof keys create`, `list` and `revoke`: works on the access store, which a running service reads. */
export async function runKeys(line: KeysLine, io: Io): Promise<number> {
  switch (line.command) {
    case 'keys create':
      return createKey(line, io);
    case 'keys list':
      return listKeys(line, io);
    case 'keys revoke':
      return revokeKey(line, io);
  }
}

async function createKey(line: CreateLine, io: Io): Promise<number> {
  const { name, plan } = line;
  const plans = await loadPlans(line.plans);
  if (!plans.has(plan))
    throw new Problem(
      'bad-input',
      `--plan ${JSON.stringify(plan)}: the plans are ${[...plans.keys()].join(', ')}`,
    );
  const { secret, stored } = newKey({ name, plan, now: io.clock() });
  const store = await openAccess(accessPath(io, line.access), { counting: false });
  try {
    await store.addKey(stored);
  } finally {
    await store.close();
  }
  messagesOf(line.messages, io).note(
    `asof: key ${stored.id} of '${name}' on the plan ${plan} (it is shown only once)`,
  );
  await print(`${secret}\n`, io);
  return exitCode.success;
}

const fields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'For logs and for revoke.' },
  { name: 'name', type: 'text', description: 'Name of the key.' },
  { name: 'plan', type: 'text', description: 'Plan of the key.' },
  { name: 'start', type: 'text', description: 'The first characters of the secret.' },
  { name: 'created_at', type: 'text', description: 'When it was created.' },
  { name: 'revoked_at', type: 'text', description: 'When it was revoked, if it was.', nullable: true },
];

async function listKeys(line: ListLine, io: Io): Promise<number> {
  const output = outputChoice(line.output, outputPlace(io), false);
  const renderer = await rendererFor(output, { fields, columns: fields.map(({ name }) => name) }, false);
  const results = await keyRows(accessPath(io, line.access));
  const page = {
    object: 'key_list',
    // No service was asked, so that no request has an id.
    request_id: '',
    status: 'ok',
    results,
    results_count: results.length,
    has_more: false,
  };
  const { write } = streamSink(io.stdout, io.signal);
  for await (const chunk of renderPages(renderer, [page])) await write(chunk);
  return exitCode.success;
}

async function keyRows(path: string): Promise<readonly Row[]> {
  // Listing does not create the access store.
  if (!isDatabase(path) && !existsSync(path)) return [];
  const store = await openAccess(path, { counting: false });
  try {
    return (await store.keys()).map(({ id, name, plan, start, createdAt, revokedAt }) => ({
      id,
      name,
      plan,
      start,
      created_at: createdAt,
      revoked_at: revokedAt ?? null,
    }));
  } finally {
    await store.close();
  }
}

async function revokeKey(line: RevokeLine, io: Io): Promise<number> {
  const path = accessPath(io, line.access);
  const unknown = () =>
    new Problem('not-found', `no key '${line.id}' in ${shownAddress(path)}`, {
      hints: ['asof keys list shows the ids'],
    });
  if (!isDatabase(path) && !existsSync(path)) throw unknown();
  const store = await openAccess(path, { counting: false });
  try {
    const key = await store.revokeKey(line.id, io.clock().toISOString());
    if (key === undefined) throw unknown();
    messagesOf(line.messages, io).note(
      `asof: key ${key.id} of '${key.name}' was revoked at ${key.revokedAt}`,
    );
    return exitCode.success;
  } finally {
    await store.close();
  }
}
