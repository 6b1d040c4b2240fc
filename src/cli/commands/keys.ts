import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { Problem } from '../../errors/problem.ts';
import type { Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { selectColumns } from '../../render/columns.ts';
import { createRenderer, formatNames } from '../../render/formats.ts';
import { renderPages } from '../../render/renderer.ts';
import { accessPath } from '../config/places.ts';
import { outputChoice, type TalkFlags, withTalkFlags } from '../options/flags.ts';
import { exitCode } from '../terminal/exit-code.ts';
import type { Io } from '../terminal/io.ts';
import { talk } from '../terminal/messages.ts';
import { plansOf, withAccessFlag } from './serve.ts';

type KeysFlags = TalkFlags & { readonly access?: string };
type CreateFlags = KeysFlags & { readonly name: string; readonly plan: string; readonly plans?: string };
type ListFlags = KeysFlags & { readonly format?: string; readonly csv?: boolean; readonly json?: boolean };

/** `asof keys create`, `list` and `revoke`: on the access store itself, which a running service looks at. */
export function keysCommands(
  add: (name: string, summary: string) => Command,
  io: Io,
  done: (code: number) => void,
): void {
  const create = add('create', 'Make a key; it is shown this once');
  withTalkFlags(withAccessFlag(create))
    .requiredOption('--name <name>', 'whose key it is')
    .option('--plan <plan>', 'what it may do', 'free')
    .option('--plans <file>', 'a JSON file of plans instead of free and pro')
    .action(async () => done(await createKey(create.opts<CreateFlags>(), io)));

  const list = add('list', 'All keys; the secrets are nowhere');
  withTalkFlags(withAccessFlag(list))
    .option('-f, --format <format>', `${formatNames.join(', ')} (table on a terminal, else csv)`)
    .option('--csv', 'the same as --format csv')
    .option('--json', 'the same as --format json')
    .action(async () => done(await listKeys(list.opts<ListFlags>(), io)));

  const revoke = add('revoke', 'Stop a key at once');
  withTalkFlags(withAccessFlag(revoke))
    .argument('<key-id>', 'as asof keys list shows it')
    .action(async (id: string) => done(await revokeKey(id, revoke.opts<KeysFlags>(), io)));
}

async function createKey(flags: CreateFlags, io: Io): Promise<number> {
  const name = flags.name.trim();
  if (name === '' || name.length > 100 || /\p{C}/u.test(name))
    throw new Problem('bad-input', '--name: use 1 to 100 printable characters');
  const plans = await plansOf(flags.plans);
  if (!plans.has(flags.plan)) {
    throw new Problem(
      'bad-input',
      `there is no plan '${flags.plan}': the plans are ${[...plans.keys()].join(', ')}`,
    );
  }
  const [{ openAccess }, { newKey }] = await Promise.all([
    import('../../store/open.ts'),
    import('../../server/keys/key.ts'),
  ]);
  const { secret, stored } = newKey({ name, plan: flags.plan, now: io.clock() });
  const store = await openAccess(accessPath(io, flags.access), { counting: false });
  try {
    await store.addKey(stored);
  } finally {
    await store.close();
  }
  talk(flags, io).note(
    `asof: key ${stored.id} of '${name}' on the plan ${flags.plan}; it is shown this once`,
  );
  io.stdout.write(`${secret}\n`);
  return exitCode.success;
}

const fields: readonly Field[] = [
  { name: 'id', type: 'text', description: 'For logs and for revoke.' },
  { name: 'name', type: 'text', description: 'Whose key it is.' },
  { name: 'plan', type: 'text', description: 'What it may do.' },
  { name: 'start', type: 'text', description: 'The first characters of the secret.' },
  { name: 'created_at', type: 'text', description: 'When it was made.' },
  { name: 'revoked_at', type: 'text', description: 'When it was revoked, if it was.', nullable: true },
];

async function listKeys(flags: ListFlags, io: Io): Promise<number> {
  const output = outputChoice({ ...flags, header: true, color: true }, io);
  const columns = selectColumns(
    fields,
    fields.map(({ name }) => name),
  );
  const renderer = await createRenderer(output.format, {
    columns,
    header: true,
    colour: output.colour,
    ...(output.width !== undefined && { width: output.width }),
  });
  const results = await keyRows(accessPath(io, flags.access));
  const page = { object: 'key_list', status: 'ok', results, results_count: results.length, has_more: false };
  // No service was asked, so that there is no request with an id.
  if (output.format === 'json') io.stdout.write(`${JSON.stringify(page, null, 2)}\n`);
  else for await (const chunk of renderPages(renderer, [{ ...page, request_id: '' }])) io.stdout.write(chunk);
  return exitCode.success;
}

async function keyRows(path: string): Promise<readonly Row[]> {
  // To look is not to make.
  if (!existsSync(path)) return [];
  const { openAccess } = await import('../../store/open.ts');
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

async function revokeKey(id: string, flags: KeysFlags, io: Io): Promise<number> {
  const path = accessPath(io, flags.access);
  const unknown = () =>
    new Problem('not-found', `there is no key '${id}' in ${path}`, {
      hints: ['asof keys list shows the ids'],
    });
  if (!existsSync(path)) throw unknown();
  const { openAccess } = await import('../../store/open.ts');
  const store = await openAccess(path, { counting: false });
  try {
    const key = await store.revokeKey(id, io.clock().toISOString());
    if (key === undefined) throw unknown();
    talk(flags, io).note(`asof: key ${key.id} of '${key.name}' was revoked at ${key.revokedAt}`);
    return exitCode.success;
  } finally {
    await store.close();
  }
}
