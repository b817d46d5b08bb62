/** The rules of the profile. Their heads are in memory; their texts, which may be long, stay in the workspace. */
import { randomUUID } from 'node:crypto';
import { ParapetError } from '#shared/bridge/errors.ts';
import { exact } from '#shared/model/format.ts';
import { MOST_RULES, type RuleContent, type RuleHead, ruleHead } from '#shared/rules/rule.ts';
import type { Database } from '../store/database.ts';
import { storedJson } from '../store/kv.ts';

/** Characters of the texts of all rules together. */
const MOST_TEXT = 256 * 1024 * 1024;

export interface NewRule {
  /** Null for a new rule. */
  id: string | null;
  content: RuleContent;
  isEnabled: boolean;
  /** The number of values, for a list only. */
  indicators: number | null;
  /** `ruleDigest` of its kind and text. */
  digest: string;
}

export class RuleBook {
  readonly #workspace: Database;
  readonly #now: () => number;
  readonly #heads = new Map<string, RuleHead>();
  readonly #listeners = new Set<() => void>();

  constructor(workspace: Database, now: () => number) {
    this.#workspace = workspace;
    this.#now = now;
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Returns how many could not be read; their rows are kept. */
  async load(): Promise<number> {
    const rows = await this.#workspace.all<{ head: string }>('SELECT head FROM rules');
    this.#heads.clear();
    for (const row of rows) {
      const read = ruleHead.safeParse(storedJson(row.head));
      if (read.success) this.#heads.set(read.data.id, read.data);
    }
    this.#changed();
    return rows.length - this.#heads.size;
  }

  /** By name. */
  list(): RuleHead[] {
    return [...this.#heads.values()].sort((a, b) => a.name.localeCompare(b.name) || (a.id < b.id ? -1 : 1));
  }

  /** Rejects `not-found`. */
  get(id: string): RuleHead {
    const head = this.#heads.get(id);
    if (head === undefined)
      throw new ParapetError(
        'not-found',
        'This rule no longer exists. It may have been deleted in another window.',
      );
    return head;
  }

  /** The rule of the same name and kind, if there is one. */
  like({ name, kind }: Pick<RuleContent, 'name' | 'kind'>): RuleHead | null {
    return this.list().find((head) => head.name === name && head.kind === kind) ?? null;
  }

  /** The first `most` characters, or the whole text; null if the rule is gone. */
  async text(id: string, most?: number): Promise<string | null> {
    const row = await this.#workspace.get<{ text: string }>(
      `SELECT ${most === undefined ? 'text' : `substr(text, 1, ${most}) AS text`} FROM rules WHERE id = ?`,
      [id],
    );
    return row?.text ?? null;
  }

  /** Adds or replaces rules, all or none. Rejects `too-large` beyond the limits of a profile. */
  async put(rules: readonly NewRule[]): Promise<RuleHead[]> {
    const heads = rules.map(
      ({ id, content: { text, ...rest }, isEnabled, indicators, digest }): RuleHead => ({
        ...rest,
        id: id ?? randomUUID(),
        isEnabled,
        digest,
        size: text.length,
        indicators,
        changedAt: this.#now(),
      }),
    );
    this.#requireRoom(heads);
    await this.#workspace.write(
      heads.map((head, index) => ({
        sql: `INSERT INTO rules (id, head, text) VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET head = excluded.head, text = excluded.text`,
        params: [head.id, JSON.stringify(head), rules[index]?.content.text ?? ''],
      })),
    );
    this.#keep(heads);
    return heads;
  }

  /** Changes everything but the texts. */
  async update(heads: readonly RuleHead[]): Promise<void> {
    await this.#workspace.write(
      heads.map((head) => ({
        sql: 'UPDATE rules SET head = ? WHERE id = ?',
        params: [JSON.stringify(head), head.id],
      })),
    );
    this.#keep(heads);
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.#workspace.write([{ sql: 'DELETE FROM rules WHERE id = ?', many: ids.map((id) => [id]) }]);
    for (const id of ids) this.#heads.delete(id);
    this.#changed();
  }

  #keep(heads: readonly RuleHead[]): void {
    for (const head of heads) this.#heads.set(head.id, head);
    this.#changed();
  }

  #requireRoom(heads: readonly RuleHead[]): void {
    const after = new Map([...this.#heads, ...heads.map((head) => [head.id, head] as const)]);
    if (after.size > MOST_RULES)
      throw new ParapetError(
        'too-large',
        `A profile has at most ${exact(MOST_RULES)} rules. Delete some first.`,
      );
    const size = [...after.values()].reduce((sum, head) => sum + head.size, 0);
    if (size > MOST_TEXT)
      throw new ParapetError(
        'too-large',
        'The rules of this profile would be longer than 256 million characters together. Delete a list first.',
      );
  }
}
