/** The topics that `asof help` explains besides commands. */
export const topics = ['as-of', 'formats', 'environment', 'exit-codes'] as const;

/** One of the topics. */
export type Topic = (typeof topics)[number];

/** The topic of that name, if there is one. */
export function topicNamed(word: string): Topic | undefined {
  return topics.find((topic) => topic === word);
}
