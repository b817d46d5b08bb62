/** Whether a certificate is that of a host. */
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

/**
 * Only subject alternative names count (RFC 9525, 6.3), as the common name can be any text. Node takes the common name
 * wherever none of them is a DNS name, so it is withheld.
 */
export function checkAlternativeNames(host: string, certificate: PeerCertificate): Error | undefined {
  if (/(?:^|, )(?:DNS|IP Address):/.test(certificate.subjectaltname ?? ''))
    return checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } });
  return Object.assign(new Error('no subject alternative name of a host'), { code: 'CERT_NO_ALTNAME' });
}
