import { createHash, randomBytes } from 'node:crypto';
import type { StoredKey } from '../../store/access-store.ts';

const prefix = 'asof_live_sk_';
const shape = new RegExp(`^${prefix}[A-Za-z0-9_-]{43}$`);

/** A new key: the secret, to be shown once, and what is kept of it. */
export function newKey(given: { readonly name: string; readonly plan: string; readonly now: Date }): {
  readonly secret: string;
  readonly stored: StoredKey;
} {
  const random = randomBytes(32).toString('base64url');
  const secret = prefix + random;
  return {
    secret,
    stored: {
      id: `k_${randomBytes(4).toString('hex')}`,
      name: given.name,
      plan: given.plan,
      start: random.slice(0, 4),
      createdAt: given.now.toISOString(),
      hash: digestOf(secret).toString('hex'),
    },
  };
}

/** The SHA-256 by which a key is recognised. A key has 256 random bits, so that no slow hash is needed. */
export function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether a text can be a key at all. */
export function isKeyShaped(text: string): boolean {
  return shape.test(text);
}
