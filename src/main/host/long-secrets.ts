/**
 * Long secrets in pieces: an entry of the Credential Manager of Windows holds 1,280 characters at most, and an access
 * token is often longer.
 */
import { createHash } from 'node:crypto';
import type { Keychain } from '../kernel/ports.ts';

/** Characters of a piece: half of what fits, as some count twice. */
const PIECE = 640;
const PIECES = new RegExp(`.{1,${PIECE}}`, 'gsu');

/** The entry of a secret stored in pieces: their number and the digest of the secret. */
const INDEX = /^parapet-pieces (\d{1,4}) ([0-9a-f]{64})$/;

const digestOf = (secret: string) => createHash('sha256').update(secret).digest('hex');
const pieceAccount = (account: string, number: number) => `${account}/piece-${number}`;

/** `keychain`, for secrets of any length. */
export function withLongSecrets(keychain: Keychain): Keychain {
  const removePieces = async (account: string, from: number) => {
    for (let number = from; (await keychain.get(pieceAccount(account, number))) !== null; number++)
      await keychain.remove(pieceAccount(account, number));
  };
  return {
    async get(account) {
      const foundSecret = await keychain.get(account);
      const index = foundSecret === null ? null : INDEX.exec(foundSecret);
      if (index === null) return foundSecret;
      let secret = '';
      for (let number = 1; number <= Number(index[1]); number++)
        secret += (await keychain.get(pieceAccount(account, number))) ?? '';
      // After a crash the pieces may be of two secrets, which is treated as no secret.
      return digestOf(secret) === index[2] ? secret : null;
    },
    async set(account, secret) {
      const pieces = secret.match(PIECES) ?? [];
      const isWhole = pieces.length <= 1 && !INDEX.test(secret);
      // The index is written last: until then the account has its earlier secret or none.
      if (!isWhole)
        for (const [index, piece] of pieces.entries())
          await keychain.set(pieceAccount(account, index + 1), piece);
      await keychain.set(account, isWhole ? secret : `parapet-pieces ${pieces.length} ${digestOf(secret)}`);
      await removePieces(account, isWhole ? 1 : pieces.length + 1);
    },
    async remove(account) {
      await keychain.remove(account);
      await removePieces(account, 1);
    },
  };
}
