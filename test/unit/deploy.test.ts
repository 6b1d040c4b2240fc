import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveSettings, serveValues, variableOf } from '../../src/cli/commands/serve.ts';
import type { Io } from '../../src/cli/terminal/io.ts';
import { parse } from '../support/command.ts';
import { root } from '../support/repository.ts';

const textOf = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');

/** The variables that the settings of a service have. */
const variables: ReadonlySet<string> = new Set(
  (Object.keys(serveSettings) as (keyof typeof serveSettings)[]).map(variableOf),
);

/** The variables of asof that a file sets. */
function variablesIn(name: string): readonly string[] {
  return [...textOf(name).matchAll(/^(?!\s*#).*$/gm)].flatMap(([line]) =>
    [...line.matchAll(/\b(ASOF_[A-Z_]+)(?:[=:]|$)/g)].map(([, variable = '']) => variable),
  );
}

describe('the files of deploy/', () => {
  it.each(['asof.service', 'Dockerfile', 'compose.yaml', 'postgres/compose.yaml', 'kubernetes.yaml'])(
    '%s sets variables that a service reads',
    (name) => {
      const named = variablesIn(name);
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((variable) => !variables.has(variable))).toEqual([]);
    },
  );

  it('serve.json has settings that a service takes', () => {
    const io = { env: {}, clock: () => new Date() } as Io;
    const values = serveValues({}, join(root, 'deploy/serve.json'), io);
    expect(values).toMatchObject({
      host: '127.0.0.1',
      port: 8787,
      'public-url': 'https://data.example.org',
      'cors-origin': ['https://app.example.org'],
      'metrics-port': 9464,
      'log-level': 'info',
    });
  });

  it('the unit of systemd starts a line that asof understands, with the example of settings', () => {
    const [, words = ''] = /^ExecStart=\/usr\/bin\/env asof (.*)$/m.exec(textOf('asof.service')) ?? [];
    expect(parse(words.split(' '), { now: new Date() })).toMatchObject({
      config: '/etc/asof/serve.json',
    });
  });

  it('the unit and the image give the service time to answer what is in flight', () => {
    // It takes no more than 0.5 s of notice, 8 s for requests, and a second to close.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(textOf('asof.service'))?.[1])).toBeGreaterThanOrEqual(10);
    expect(Number(/stop_grace_period: (\d+)s/.exec(textOf('compose.yaml'))?.[1])).toBeGreaterThanOrEqual(10);
  });

  it('Kubernetes asks the probes, and waits longer than the drain and the requests in flight', () => {
    const text = textOf('kubernetes.yaml');
    const probes = [...text.matchAll(/(\w+)Probe:\n +httpGet: \{ path: (\S+), port: http \}/g)];
    expect(probes.map(([, probe, path]) => `${probe} ${path}`)).toEqual([
      'startup /healthz',
      'liveness /healthz',
      'readiness /readyz',
    ]);
    const [, drain] = /ASOF_DRAIN\n +value: (\d+)s$/m.exec(text) ?? [];
    const [, grace] = /terminationGracePeriodSeconds: (\d+)$/m.exec(text) ?? [];
    expect(Number(grace)).toBeGreaterThanOrEqual(Number(drain) + 10);
    const [, period] = /readinessProbe:\n.*\n +periodSeconds: (\d+)$/m.exec(text) ?? [];
    expect(Number(drain)).toBeGreaterThan(2 * Number(period));
    expect(text).toMatch(/^ +readOnlyRootFilesystem: true$/m);
    expect(text).toMatch(/^ +runAsNonRoot: true$/m);
    // What the secret and the volumes are mounted as is what the settings name.
    expect(text).toMatch(/ASOF_METRICS_KEY\n +value: \/secrets\/metrics\/key$/m);
    expect(text).toContain('{ name: metrics-key, mountPath: /secrets/metrics, readOnly: true }');
    expect(textOf('Dockerfile')).toContain('VOLUME /data');
  });

  it('the image compiles nothing, as its Node needs no driver that is compiled', () => {
    const [, major] = /^FROM node:(\d+)-slim$/m.exec(textOf('Dockerfile')) ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(22);
    expect(textOf('Dockerfile')).toMatch(/^RUN npm install .*--ignore-scripts /m);
  });

  it('the guide imports before it starts the unit, which needs a store, where the unit has its data', () => {
    const guide = readFileSync(join(root, 'docs/guide/operate.md'), 'utf8');
    const [, block = ''] = /^## systemd\n[\s\S]*?```sh\n([\s\S]*?)```/m.exec(guide) ?? [];
    const unit = textOf('asof.service');
    const [place = ''] = /ASOF_STORE=\S+/.exec(unit) ?? [];
    const steps = [`${place} asof import`, 'systemctl enable --now asof', 'asof keys create'];
    const at = steps.map((step) => block.indexOf(step));
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(block.indexOf('/var/lib/asof\n'));
    expect(unit).toContain('StateDirectory=asof');
  });

  it('the compose file of PostgreSQL gives each container the passwords of its roles alone', () => {
    const [, , instances = '', rest = ''] = textOf('postgres/compose.yaml').split(/^(?:x-\w+|services):/m);
    const init = /^ {2}init:$[\s\S]*?^ {2}\w+: /m.exec(rest)?.[0] ?? '';
    const passwordsIn = (text: string) =>
      [...text.matchAll(/\b([A-Z]+)_PASSWORD:\?\}/g)].map(([, role]) => role);
    expect(passwordsIn(instances)).toEqual(['READER', 'KEYS']);
    expect(passwordsIn(init)).toEqual(['IMPORTER']);
    expect(textOf('postgres/roles.sql').match(/[A-Z]+(?=_PASSWORD)/g)).toEqual([
      'IMPORTER',
      'READER',
      'KEYS',
    ]);
  });

  it('the nginx of deploy/ has the settings of the guide', () => {
    const settings = (text: string) => text.match(/^ +(?:proxy_|keepalive).*$/gm);
    const guide = readFileSync(join(root, 'docs/guide/scale.md'), 'utf8');
    const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(guide) ?? [];
    expect(settings(block)).toContain('    proxy_next_upstream error timeout http_503;');
    expect(settings(textOf('postgres/nginx.conf'))).toEqual(settings(block));
    const servers = `${block}${textOf('postgres/nginx.conf')}`.match(/^ +server .*$/gm) ?? [];
    expect(servers).toHaveLength(5);
    for (const server of servers) expect(server).toMatch(/:8787 max_fails=0;$/);
  });

  it('the image runs as a user without rights, with a health check, and the container is read-only', () => {
    const lines = textOf('Dockerfile').split('\n');
    expect(lines.findLast((line) => line.startsWith('USER '))).toBe('USER node');
    expect(lines.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(textOf('Dockerfile')).toContain('/readyz');
    expect(textOf('compose.yaml')).toMatch(/^ {4}read_only: true$/m);
  });
});
