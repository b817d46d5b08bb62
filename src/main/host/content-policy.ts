/** Headers of every page that a host serves. */
import { dictionary } from '#shared/dictionary.ts';

const DIRECTIVES = {
  'default-src': "'none'",
  'script-src': "'self'",
  // Component libraries set inline styles for layout.
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self' blob:",
  // A mail body is a sandboxed srcdoc frame and inherits this policy, so nothing remote loads in it.
  'frame-src': "'self' blob: data:",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const CONTENT_POLICY = Object.entries(DIRECTIVES)
  .map(([name, value]) => `${name} ${value}`)
  .join('; ');

const PERMISSIONS_POLICY =
  'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), clipboard-read=()';

export const SECURITY_HEADERS: Readonly<Record<string, string>> = dictionary({
  'content-security-policy': CONTENT_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': PERMISSIONS_POLICY,
});
