/** Whether the body of a mail is still the one that a DKIM signature covers. */
export interface SignedBody {
  /** The domain that signed, in lower case. */
  domain: string;
  /** `extended`: intact as far as it is signed, with more behind that; `unknown`: the signature cannot be recomputed. */
  state: 'intact' | 'extended' | 'changed' | 'unknown';
}
