/** Authentication depends on the servers that the analyst trusts. */
import { addressReader, headerFacts } from '#shared/mail/analysis.ts';
import { decodeBytes } from '#shared/mail/charsets.ts';
import { type AuthSummary, authSummary } from '#shared/mail/header-mail.ts';
import { parseHeaders } from '#shared/mail/headers.ts';
import { decodeHeaderBlock } from '../formats/files/charset.ts';
import { DEFAULT_LIMITS } from '../formats/mail/types.ts';

const { maxHeaderBytes, maxHeaders } = DEFAULT_LIMITS;

/** The results of SPF, DKIM and DMARC by the headers of a mail, if these servers are trusted. */
export const authenticationReader =
  (believed: readonly string[]) =>
  (header: Buffer): AuthSummary => {
    const block = decodeHeaderBlock(header.subarray(0, maxHeaderBytes), null);
    const { headers } = parseHeaders(block, decodeBytes, { maxHeaders });
    return authSummary(headerFacts(headers, addressReader(headers, decodeBytes), believed));
  };
