import { cut } from '../terminal-text.ts';

/**
 * Names in at most so many cells each. Those that would be cut to the same text lose what they begin with in common
 * instead, so that lines can be told apart.
 */
export function shortNames(names: readonly string[], most: number): readonly string[] {
  return names.map((name) => {
    const begun = cut(name, most);
    const shared = sharedBeginning(names.filter((other) => cut(other, most) === begun));
    return shared === name ? begun : cut(`…${name.slice(shared.length)}`, most);
  });
}

/** What all texts begin with; characters of two code units are never split. */
function sharedBeginning([first = '', ...others]: readonly string[]): string {
  let shared = '';
  for (const sign of first) {
    if (!others.every((other) => other.startsWith(shared + sign))) break;
    shared += sign;
  }
  return shared;
}
