import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/errors/problem.ts';

const cause = new Error('the reason');
const problem = new Problem('not-found', "series 'GPD' not found", {
  field: 'id',
  hints: ['did you mean GDP?'],
  requestId: 'req_1',
  retryAfter: 3,
  type: 'https://errors.example/not-found',
  missing: true,
  cause,
});

describe('a copy of a problem', () => {
  it('keeps everything that is not changed, and the cause', () => {
    const copy = problem.with({ instance: '/v1/series/GPD' });
    expect(copy).toMatchObject({
      kind: 'not-found',
      detail: "series 'GPD' not found",
      message: "series 'GPD' not found",
      field: 'id',
      hints: ['did you mean GDP?'],
      requestId: 'req_1',
      retryAfter: 3,
      type: 'https://errors.example/not-found',
      missing: true,
      instance: '/v1/series/GPD',
    });
    expect(copy.cause).toBe(cause);
    expect(problem.instance).toBeUndefined();
  });

  it('can have another kind, detail and hints, and lose a field', () => {
    const copy = problem.with({ kind: 'bad-input', detail: 'line 3: no', hints: [], field: undefined });
    expect(copy).toMatchObject({ kind: 'bad-input', message: 'line 3: no', detail: 'line 3: no', hints: [] });
    expect(copy.field).toBeUndefined();
    expect(copy.requestId).toBe('req_1');
  });

  it('has no cause where the problem has none', () => {
    expect(Object.hasOwn(new Problem('no-rows', 'no rows').with({ hints: ['x'] }), 'cause')).toBe(false);
  });
});
