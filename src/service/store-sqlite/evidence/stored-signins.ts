/** The sign-ins of evidence in the store: each is listed once, however many logs have it. */
import type Database from 'better-sqlite3';
import { repeatedIdentity, secondOf } from '../../formats/signins/signin-identity.ts';
import type { ReadSignin, SigninIdentity } from '../../store/evidence.ts';
import type { LoginRecord } from '../../store/records.ts';
import { outcomeCode } from '../logins.ts';
import { StoredHashes } from './stored-hashes.ts';

interface Listed {
  id: number;
  country: string | null;
  /** Whether it has a country, which counts most, and coordinates. */
  worth: number;
}

/** Of sign-ins with the same id and content in other countries, as nobody but a forger has, this many are compared. */
const MAX_VERSIONS = 100;

const WORTH = '(country IS NOT NULL) * 2 + (lat IS NOT NULL)';
const worthOf = ({ country, lat }: LoginRecord): number =>
  (country === null ? 0 : 2) + (lat === null ? 0 : 1);

/**
 * Writes sign-ins. Each line of a log is a row; of the rows of one sign-in, the one that says most about its place is
 * listed. Some logs name no country, but two different ones are two sign-ins.
 */
export class StoredSignins {
  readonly #db: Database.Database;
  /** What was stored since the table was empty, or null if it was not empty. */
  readonly #stored: StoredHashes | null;
  readonly #insert: Database.Statement;
  readonly #find: Database.Statement<unknown[], Listed>;
  readonly #has: Database.Statement;
  readonly #unlist: Database.Statement;

  constructor(db: Database.Database) {
    this.#db = db;
    this.#stored = db.prepare('SELECT 1 FROM logins LIMIT 1').get() === undefined ? new StoredHashes() : null;
    this.#insert = db.prepare(
      `INSERT INTO logins (saas, failed, at, user, ip, lat, lon, country, city, count, file_id, event, listed, line, entry)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#find = db.prepare(
      `SELECT id, country, ${WORTH} AS worth FROM logins WHERE event = ? AND listed = 1 LIMIT ${MAX_VERSIONS}`,
    );
    // Both values of `listed` are named here and below so that the index also finds the log.
    this.#has = db.prepare('SELECT 1 FROM logins WHERE event = ? AND listed IN (0, 1) AND file_id = ?');
    this.#unlist = db.prepare('UPDATE logins SET listed = 0 WHERE id = ?');
  }

  /** In one transaction, or the caller's. */
  add(signins: readonly ReadSignin[], fileId: number): void {
    this.#db.transaction(() => {
      for (const signin of signins) this.#write(signin, fileId);
    })();
  }

  #write({ login, identity, line, entry }: ReadSignin, fileId: number): void {
    let { hex } = identity;
    let isNew = this.#isNew(hex);
    if (!isNew && !identity.isUnique) {
      hex = repeatedIdentity(identity, this.#repeatOf(identity, login, fileId));
      isNew = this.#isNew(hex);
    }
    this.#stored?.add(hex);
    const event = keyOf(hex, login);
    const same = isNew ? undefined : this.#sameAs(event, login);
    const isListed = same === undefined || worthOf(login) > same.worth;
    if (same !== undefined && isListed) this.#unlist.run(same.id);
    this.#insert.run(
      login.saas,
      outcomeCode(login.failed),
      login.at,
      login.user,
      login.ip,
      login.lat,
      login.lon,
      login.country,
      login.city,
      login.count,
      fileId,
      event,
      isListed ? 1 : 0,
      line,
      entry,
    );
  }

  /** The listed row of this sign-in. */
  #sameAs(event: Uint8Array, { country }: LoginRecord): Listed | undefined {
    const listed = this.#find.all(event);
    return (
      listed.find((place) => place.country === country) ??
      listed.find((place) => place.country === null || country === null)
    );
  }

  #isNew(hex: string): boolean {
    return this.#stored?.mayHave(hex) === false;
  }

  /** How many lines equal to this one the log has so far, found in steps that double and then halve. */
  #repeatOf(identity: SigninIdentity, login: LoginRecord, fileId: number): number {
    const has = (repeat: number): boolean =>
      this.#has.get(keyOf(repeatedIdentity(identity, repeat), login), fileId) !== undefined;
    if (!has(0)) return 0;
    let step = 1;
    while (has(step)) step *= 2;
    let [low, high] = [Math.floor(step / 2), step];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (has(middle)) low = middle;
      else high = middle;
    }
    return high;
  }
}

/** Logs are in the order of time, and an index is built several times as fast in its own order: the time comes first. */
function keyOf(hex: string, login: LoginRecord): Buffer {
  const key = Buffer.from(`00000000${hex.slice(0, 24)}`, 'hex');
  key.writeUInt32BE(secondOf(login) >>> 0);
  return key;
}

/** Removes the sign-ins of a log; those that other logs have stay listed. In the caller's transaction. */
export function forgetSignins(db: Database.Database, fileId: number): void {
  db.prepare(
    `UPDATE logins SET listed = 1 WHERE id IN (
       SELECT (
         SELECT id FROM logins c WHERE c.event = l.event AND c.listed IN (0, 1) AND c.file_id <> l.file_id
           AND (c.country IS l.country OR NOT EXISTS (
             SELECT 1 FROM logins o WHERE o.event = l.event AND o.listed = 1 AND o.file_id <> l.file_id))
         ORDER BY c.country IS l.country DESC, ${WORTH} DESC, id LIMIT 1)
       FROM logins l WHERE l.file_id = ? AND l.listed = 1 AND l.event IS NOT NULL)`,
  ).run(fileId);
  db.prepare('DELETE FROM logins WHERE file_id = ?').run(fileId);
}
