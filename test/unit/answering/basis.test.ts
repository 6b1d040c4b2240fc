import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Basis } from '../../../src/answering/basis.ts';
import { observations } from '../../../src/operations/series/observations.ts';
import { answerWith, madeUpClient, textsOf } from '../../support/service-double.ts';

async function subjectsIn(basis: Basis): Promise<readonly string[]> {
  const { ask } = basis.through(
    madeUpClient(async (operation, texts) => {
      if (texts.some(([, text]) => text === 'A')) await delay(5);
      return { ...answerWith(operation, []), covered_to: '2020-01-01' };
    }),
  );
  await Promise.all(['A', 'B'].map((id) => ask(observations, textsOf(`id=${id}`))));
  return basis.upTo('2020-01-31').map(({ subject }) => subject);
}

it('a basis lists the subjects in the order of the requests, whichever is answered first', async () => {
  expect(await subjectsIn(new Basis({}, '2020-01-31'))).toEqual(['A', 'B']);
});

it('a basis lists the series in the order of the query, whichever is asked for first', async () => {
  const basis = new Basis({}, '2020-01-31');
  for (const id of ['B', 'C', 'A']) basis.named.set(id, { id });
  expect(await subjectsIn(basis)).toEqual(['B', 'A']);
});

it('a basis lists a series in the place of its alias in the query', async () => {
  const basis = new Basis({}, '2020-01-31');
  basis.aliases.set('OLD', 'B');
  for (const id of ['OLD', 'A', 'B']) basis.named.set(id, { id });
  expect(await subjectsIn(basis)).toEqual(['B', 'A']);
});
