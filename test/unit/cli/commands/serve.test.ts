import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveValues } from '../../../../src/cli/commands/serve.ts';
import type { Io } from '../../../../src/cli/terminal/io.ts';
import { newFolder } from '../../../support/folders.ts';

const folder = newFolder();

type Typed = Parameters<typeof serveValues>[0];

/** The settings of a service by flags, variables and the text of a file. */
function values(typed: Typed, env: Readonly<Record<string, string>> = {}, content?: string) {
  const file = content === undefined ? undefined : folder.write('serve.json', content);
  return serveValues(typed, file, { env, clock: () => new Date() } as Partial<Io> as Io);
}

describe('the settings of a service', () => {
  it('are the defaults where nothing is set', () => {
    expect(values({})).toMatchObject({ host: '127.0.0.1', port: 8787, 'log-level': 'info' });
    expect(values({})['cors-origin']).toBeUndefined();
  });

  it.each<[string, Typed, Record<string, string>, number]>([
    ['a flag before all else', { port: 1 }, { ASOF_PORT: '2' }, 1],
    ['a variable before the file', {}, { ASOF_PORT: '2' }, 2],
    ['the file before the default', {}, {}, 3],
    ['no variable that is empty', {}, { ASOF_PORT: '' }, 3],
  ])('take %s', (_, typed, env, port) => {
    expect(values(typed, env, '{"port": 3}').port).toBe(port);
  });

  it('may each come from the environment', () => {
    const texts = {
      host: '0.0.0.0',
      'billing-url': 'https://pay.example.org',
      explorer: 'on',
      plans: 'plans.json',
      'metrics-key': 'metrics.key',
      'log-level': 'warn',
      store: 'postgres://db/asof',
      access: 'access.db',
    };
    const variables = Object.entries(texts).map(([name, text]) => [
      `ASOF_${name.toUpperCase().replaceAll('-', '_')}`,
      text,
    ]);
    const env = {
      ASOF_PUBLIC_URL: 'https://data.example.org/',
      ASOF_CORS_ORIGIN: 'https://a.example, https://b.example',
      ASOF_METRICS_PORT: '9464',
      ASOF_MAX_SECONDS: '5',
    };
    expect(values({}, { ...env, ...Object.fromEntries(variables) })).toEqual({
      ...texts,
      port: 8787,
      'public-url': 'https://data.example.org',
      'cors-origin': ['https://a.example', 'https://b.example'],
      'metrics-port': 9464,
      'max-seconds': 5,
      drain: 0.5,
    });
  });

  it('in a file may have dashes or underscores, and lists', () => {
    const origins = ['https://a.example', '*'];
    const content = JSON.stringify({ public_url: 'https://x.example', 'cors-origin': origins });
    const expected = { 'public-url': 'https://x.example', 'cors-origin': origins };
    expect(values({}, {}, content)).toMatchObject(expected);
  });

  it.each<[string, string, string]>([
    ['that is no JSON', '{', 'serve.json: it is not JSON'],
    ['that is a list', '[]', 'serve.json: expected an object'],
    ['with an unknown setting', '{"prot": 1}', "serve.json: unknown setting 'prot': use host, port"],
    ['with an object', '{"host": {}}', "serve.json: 'host' must be a text, a number, or a list"],
    ['with a bad port', '{"port": 99999}', 'serve.json: port "99999": use an integer from 0 to 65535'],
  ])('are refused from a file %s', (_, content, reason) => {
    expect(() => values({}, {}, content)).toThrow(reason);
  });

  it('are refused from a variable by its name, and from a file that does not exist', () => {
    for (const [name, refusal] of [
      ['ASOF_LOG_LEVEL', 'ASOF_LOG_LEVEL "loud": use info, warn or error'],
      ['ASOF_EXPLORER', 'ASOF_EXPLORER "loud": use on or off'],
    ] as const)
      expect(() => values({}, { [name]: 'loud' })).toThrow(refusal);
    const missing = join(folder.path('.'), 'none.json');
    expect(() => serveValues({}, missing, { env: {} } as Partial<Io> as Io)).toThrow(
      `the settings ${missing}`,
    );
  });
});
