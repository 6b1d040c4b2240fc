import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveValues } from '../../../../src/cli/commands/serve.ts';
import type { Io } from '../../../../src/cli/terminal/io.ts';
import { scratchFolder } from '../../../support/folders.ts';

const folder = scratchFolder();

function fileOf(content: string): string {
  const path = join(folder, 'serve.json');
  writeFileSync(path, content);
  return path;
}

function ioWith(env: Readonly<Record<string, string>>): Io {
  return { env, clock: () => new Date() } as Io;
}

type Typed = Parameters<typeof serveValues>[0];

function values(typed: Typed, env: Readonly<Record<string, string>>, content?: object) {
  const file = content === undefined ? undefined : fileOf(JSON.stringify(content));
  return serveValues(typed, file, ioWith(env));
}

describe('the settings of a service', () => {
  it('are the defaults where nothing is set', () => {
    expect(values({}, {})).toMatchObject({ host: '127.0.0.1', port: 8787, 'log-level': 'info' });
    expect(values({}, {})['cors-origin']).toBeUndefined();
  });

  it.each<[string, Typed, Record<string, string>, object | undefined, number]>([
    ['a flag before all else', { port: 1 }, { ASOF_PORT: '2' }, { port: 3 }, 1],
    ['a variable before the file', {}, { ASOF_PORT: '2' }, { port: 3 }, 2],
    ['the file before the default', {}, {}, { port: 3 }, 3],
    ['no variable that is empty', {}, { ASOF_PORT: '' }, { port: 3 }, 3],
  ])('take %s', (_, typed, env, content, port) => {
    expect(values(typed, env, content).port).toBe(port);
  });

  it('may each come from the environment', () => {
    const env = {
      ASOF_HOST: '0.0.0.0',
      ASOF_PUBLIC_URL: 'https://data.example.org/',
      ASOF_BILLING_URL: 'https://pay.example.org',
      ASOF_CORS_ORIGIN: 'https://a.example, https://b.example',
      ASOF_EXPLORER: 'on',
      ASOF_PLANS: 'plans.json',
      ASOF_METRICS_PORT: '9464',
      ASOF_METRICS_KEY: 'metrics.key',
      ASOF_LOG_LEVEL: 'warn',
      ASOF_STORE: 'postgres://db/asof',
      ASOF_ACCESS: 'access.db',
      ASOF_MAX_SECONDS: '5',
    };
    expect(values({}, env)).toEqual({
      host: '0.0.0.0',
      port: 8787,
      'public-url': 'https://data.example.org',
      'billing-url': 'https://pay.example.org',
      'cors-origin': ['https://a.example', 'https://b.example'],
      explorer: 'on',
      plans: 'plans.json',
      'metrics-port': 9464,
      'metrics-key': 'metrics.key',
      'log-level': 'warn',
      'max-seconds': 5,
      store: 'postgres://db/asof',
      access: 'access.db',
    });
  });

  it('in a file may have dashes or underscores, and lists', () => {
    const found = values(
      {},
      {},
      { public_url: 'https://x.example', 'cors-origin': ['https://a.example', '*'] },
    );
    expect(found).toMatchObject({
      'public-url': 'https://x.example',
      'cors-origin': ['https://a.example', '*'],
    });
  });

  it.each<[string, string, string]>([
    ['that is no JSON', '{', 'serve.json: it is not JSON'],
    ['that is a list', '[]', 'serve.json: expected an object'],
    ['with an unknown setting', '{"prot": 1}', "serve.json: unknown setting 'prot': use host, port"],
    [
      'with an object for a setting',
      '{"host": {}}',
      "serve.json: 'host' must be a text, a number, or a list",
    ],
    ['with a bad port', '{"port": 99999}', 'serve.json: port "99999": use an integer from 0 to 65535'],
  ])('are refused from a file %s', (_, content, reason) => {
    const path = fileOf(content);
    expect(() => serveValues({}, path, ioWith({}))).toThrow(reason);
  });

  it('are refused from a variable by its name', () => {
    expect(() => values({}, { ASOF_LOG_LEVEL: 'loud' })).toThrow(
      'ASOF_LOG_LEVEL "loud": use info, warn or error',
    );
    expect(() => values({}, { ASOF_EXPLORER: 'yes' })).toThrow('ASOF_EXPLORER "yes": use on or off');
  });

  it('are refused from a file that does not exist', () => {
    const missing = join(folder, 'none.json');
    expect(() => serveValues({}, missing, ioWith({}))).toThrow(`the settings ${missing}`);
  });
});
