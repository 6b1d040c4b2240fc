import type { ServerResponse } from 'node:http';
import type { Client } from '../../src/client/client.ts';
import { Problem } from '../../src/errors/problem.ts';
import { operations } from '../../src/operations/index.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { envelopeToWire } from '../../src/operations/wire.ts';
import { endpoints } from '../../src/server/endpoints.ts';
import { openApi } from '../../src/server/openapi.ts';
import { type Double, problem, reply, serve } from './service-double.ts';

/** What a service overlooks: these parameters, and whether its description announces them all the same. */
export type Overlooked = { readonly names: ReadonlySet<string>; readonly announcesAll: boolean };

/** A service of a store that overlooks parameters: it answers as if they had not been sent. */
export function overlookingService(client: Client, overlooked: () => Overlooked): Promise<Double> {
  return serve(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const { names, announcesAll } = overlooked();
    if (pathname === '/v1/openapi.json')
      return reply(response, 200, describing(announcesAll ? new Set<string>() : names));
    for (const operation of operations) {
      const inPath = pathTexts(operation, pathname);
      if (inPath === undefined) continue;
      const texts = [...searchParams].filter(([name]) => !names.has(name));
      const answer = client.ask(operation, [...inPath, ...texts]);
      return await answer.then(
        (page) => reply(response, 200, envelopeToWire(page, operation.fields)),
        (error: unknown) => refuse(response, error),
      );
    }
    return problem(response, 404, 'not-found', 'no such endpoint');
  });
}

function describing(left: ReadonlySet<string>) {
  return openApi(
    endpoints.map(({ params, ...endpoint }) => ({
      ...endpoint,
      params:
        endpoint.operation === undefined
          ? params
          : Object.fromEntries(Object.entries(params).filter(([name]) => !left.has(name))),
    })),
    'https://data.example.com',
  );
}

function pathTexts({ path }: Operation, asked: string): readonly (readonly [string, string])[] | undefined {
  const pattern = new RegExp(`^${path.replace('{id}', '([^/]+)')}$`);
  const found = pattern.exec(asked);
  if (found === null) return undefined;
  return found[1] === undefined ? [] : [['id', decodeURIComponent(found[1])]];
}

function refuse(response: ServerResponse, error: unknown): void {
  if (!(error instanceof Problem)) throw error;
  const { kind, status, detail, field } = error;
  problem(response, status, kind, detail, field === undefined ? {} : { field });
}
