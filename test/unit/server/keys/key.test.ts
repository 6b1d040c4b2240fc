import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { digestOf, isKeyShaped, isSameSecret, newKey } from '../../../../src/server/keys/gate.ts';

const now = new Date('2026-01-15T12:00:00Z');
const made = Array.from({ length: 200 }, () => newKey({ name: 'Ada', plan: 'pro', now }));

describe('a new key', () => {
  it('is asof_live_sk_ and 256 bits as 43 characters of base64url', () => {
    for (const { secret } of made) {
      const [, random = ''] = /^asof_live_sk_([A-Za-z0-9_-]{43})$/.exec(secret) ?? [];
      expect(Buffer.from(random, 'base64url')).toHaveLength(32);
    }
  });

  it('has a new secret and a new id every time', () => {
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(made.length);
    expect(new Set(made.map(({ stored }) => stored.id)).size).toBe(made.length);
  });

  it('is stored as its SHA-256, first 4 characters, name, plan and time, without the secret', () => {
    for (const { secret, stored } of made) {
      expect(stored).toEqual({
        id: expect.stringMatching(/^k_[0-9a-f]{8}$/),
        name: 'Ada',
        plan: 'pro',
        start: secret.slice(13, 17),
        createdAt: '2026-01-15T12:00:00.000Z',
        hash: createHash('sha256').update(secret).digest('hex'),
      });
      expect(JSON.stringify(stored)).not.toContain(secret.slice(13));
      expect(stored.hash).not.toContain(stored.id.slice(2));
    }
  });

  it('is recognised by its digest', () => {
    const [{ secret, stored }] = made as [(typeof made)[number]];
    expect(digestOf(secret).toString('hex')).toBe(stored.hash);
  });
});

describe('two secrets', () => {
  it.each([
    ['one', 'one', true],
    ['', '', true],
    ['one', 'onE', false],
    ['one', 'one ', false],
    ['', 'one', false],
  ])('%j and %j are the same: %s', (one, other, same) => expect(isSameSecret(one, other)).toBe(same));
});

describe('a text that is not a key', () => {
  const [good = ''] = made.map(({ secret }) => secret);
  it('differs from a key', () => expect(isKeyShaped(good)).toBe(true));
  it.each([
    ['nothing', ''],
    ['a character less', good.slice(0, -1)],
    ['a character more', `${good}A`],
    ['another prefix', good.replace('live', 'test')],
    ['two keys, as a repeated header gives them', `${good}, ${good}`],
    ['a line break at its end', `${good}\n`],
    ['a character of plain base64', `${good.slice(0, -1)}+`],
  ])('%s', (_, text) => expect(isKeyShaped(text)).toBe(false));
});
