/** Whether a mail is still the one that a DKIM signature covers. */
export interface SignedBody {
  /** The domain that signed, in lower case. */
  domain: string;
  /** An `extended` body is intact as far as it is signed, with more behind that; `unknown` if that cannot be recomputed. */
  state: 'intact' | 'extended' | 'changed' | 'unknown';
  /** Whether the signature of a body that is intact or extended fits the key that the analyst gave, if it was verified. */
  fits: boolean | null;
  /** Why it was not verified although keys were given; null if it was, or if there are none. */
  unverified: string | null;
}
