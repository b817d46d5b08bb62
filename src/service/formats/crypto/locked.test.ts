import { gunzipSync } from 'node:zlib';
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '#tests/support/growth.ts';
import { compoundFile } from '#tests/support/outlook-files.ts';
import { rarList } from '../containers/rar.ts';
import { isLockedSevenZip } from '../containers/seven-zip.ts';
import { isLockedPdf } from '../documents/pdf.ts';
import { isArmored, lockOf } from './locked.ts';
import { Unpacking } from './unpacking.ts';

const bytesOf = (base64: string): Buffer => Buffer.from(base64, 'base64');
const wordsOf = (bytes: Buffer): string | null =>
  lockOf(bytes, { isSmime: false, isPgp: false }, new Unpacking())?.words ?? null;

// Written by RAR 2.02, 3 and 5 for the tests of Python's rarfile (ISC); those of RAR 5, and with hidden names, are truncated.
const RAR_2 = bytesOf(
  'UmFyIRoHAL0BcwIAMwAAAAAAAAD4BXUAACYACgAUNO5QEABMAAAAAAABCm2gqCufB5X+B6ujga2pgBACdAyAQgAgAAAABwAAAAC6fRl6bgNjPRQzCQAgAAAARklMRTEuVFhUIVF1AAAZAAwADzDeWWZpbGUxY29tbWVudFPmfX5zzgYruwTthRwQKva/q0wthOc1jNdnNS+MxrznJeJ0DIBCACAAAAAHAAAAAOPDX3hxA2M9FDMJACAAAABGSUxFMi5UWFStZHUAABkADAAPMD1eZmlsZTJjb21tZW5005C+HUPv1L95WpV8La7DSRITBPuX1rf553cSqgZewKg=',
);
const RAR_4 = bytesOf(
  'UmFyIRoHAM+QcwAADQAAAAAAAADSmXoAgCMAFgAAAAsAAAADvFDsdQAAAAAdMwMAAAAAAENNVAwAi+zL9lbBSCmPAOW/5v/w0Gtqdnpt1nQklDMAEAAAAAAAAAADAAAAAGxQYj0dMwkApIEAAGZpbGUxLnR4dLMOLwEQH2W9AMDh8N4nMZ14bG1Nam0XgBynQZl6EIAjABYAAAALAAAAA0g/bxAAAAAAHTMDAAAAAIBDTVQMAIvsy/Y2kFYseA8mb83/7NSLl8K9FLx0JJQzABAAAAAAAAAAAwAAAABsUGI9HTMJAKSBAABmaWxlMi50eHSzDi8BEB9lvQDA4fDeJzGdeGxtTWptF4Acp3ygehCAIwAWAAAACwAAAAOmkNoCAAAAAB0zAwAAAACAQ01UEBDL7Inkc0FIsM/ZJxfi/uuBj1cq9MQ9ewBABwA=',
);
const RAR_4_OPEN = bytesOf(
  'UmFyIRoHAM+QcwAADQAAAAAAAADSmXoAgCMAFgAAAAsAAAADvFDsdQAAAAAdMwMAAAAAAENNVAwAi+zL9lbBSCmPAOW/5v/w0GtqdnruDHQgkCsACAAAAAAAAAADAAAAAGxQYj0dMwkApIEAAGZpbGUxLnR4dADAAL+IZ/ap/9RBmXoQgCMAFgAAAAsAAAADSD9vEAAAAAAdMwMAAAAAgENNVAwAi+zL9jaQVix4DyZvzf/s1IuXwr1zFnQgkCsACAAAAAAAAAADAAAAAGxQYj0dMwkApIEAAGZpbGUyLnR4dADAAL+IZ/ap/9R8oHoQgCMAFgAAAAsAAAADppDaAgAAAAAdMwMAAAAAgENNVBAQy+yJ5HNBSLDP2ScX4v7rgY9XKvTEPXsAQAcA',
);
const RAR_4_NAMES = bytesOf(
  'UmFyIRoHAM6Zc4AADQAAAAAAAACY1Tq5m8CEetYBvlQkcAN6cyEpKUCXohc1cprF8D3HQC5hCrn2MVuFgqTv/A==',
);
const RAR_5 = bytesOf(
  'UmFyIRoHAQDz4YLrCwEFBwAGAQGAgIAA1maebhMDAp8ABJ8AACJDfqmAAAEDQ01UUkFSNSBhcmNoaXZlIC0gbm9oZHItcGFzc3dvcmQKAJib2Y5ZAgM8wAAEgBCkgwLq7ii6gAMBCnN0ZXN0MS50eHQwAQADD36YLN0a4hw2x6OR2o0IimigOq0m9IJ7h9VMclznO2lngVHP9jZJwW4YaiIPCgMCgMwgl+YozAFvXOSKu4lkW22a9BUVMg/KTEgfLmj8fkUbh1+PPsmRIRwPkcBeDl2ssikAolPsTaFiZXO/K9VBSFSBmxJSN991gzr80GkCA0yAEASAEKSDAuruKLqAAAEKc3Rlc3QyLnR4dDABAAMPfpgs3RriHDbHo5HajQiKaN+D+gzYboi4tvhRRn15SdKBUc/2NknBbhhqIg8=',
);
const RAR_5_OPEN = bytesOf(
  'UmFyIRoHAQDz4YLrCwEFBwAGAQGAgIAAJjj1xBMDApQABJQAAIbqpZWAAAEDQ01UUkFSNSBhcmNoaXZlIC0gY3JjCgCE9vQaKAIDC7cABIAQpIMCoua3xYADAQpzdGVzdDEudHh0CgMCgMwgl+YozAHEqjRENCT6MutH+sRNfb3mBYCCCozBAyqVyiKbUBqT3UD8AEACANRgBDbtFfm3VIMqZE7NfB/ggt7NNjgCAxuAEASAEKSDAqLmt8WAAAEKc3Rlc3QyLnR4dBoDDoDMIJfmKMwBgBbjEgq00QGAcEUVCrTRATAwMAowMDEKMDAyCjAwMwowMDQKMDA1CjAwNgowMDcKMDA4CjAwOQowMTAKMDExCjAxMgowMTMKMDE0CjAxNQowMTYKMDE3CjAxOAowMTkKMDIwCjAyMQowMjI=',
);
const RAR_5_NAMES = bytesOf(
  'UmFyIRoHAQCv9WlFIQQAAAEPp5jL+1yF6lQKQtTUwocnkB0ppI/CHmPqSl9A01xS1RtNzie6O2Pyqrkm9CHVoC+wFESN1iDKe692E7oj/tI=',
);
// Three files written by 7z 26, which then compresses its directory.
const SEVEN_ZIP = bytesOf(
  'N3q8ryccAASLqMmyqgAAAAAAAAAiAAAAAAAAAHzjSkN6aQY/vIXGUHHXNSS3liQ+7v/sCzR651/t9DsWTSP3KgAAgTMHrg/QDrA8nzkQnJ+m1TPasi6w1vOPae0BELgQii1zBphNZbbwqNONeIZBighKOyuLPB0lz7c6HxDrpHl2N2frtqqmHh10LXQKWZmZBSLbn2pe/E1YzneF7cizdlUbbpQIbmLg7bprO4+n+eaNZKzpX8xuAOzd/4WwZWb7weu260+tRgAAABcGIAEJgIoABwsBAAEjAwEBBV0AEAAADIDSCgHAbmOFAAA=',
);
const SEVEN_ZIP_NAMES = bytesOf(
  'N3q8ryccAASBnpWRsAAAAAAAAAA+AAAAAAAAAG8VUoICro4baIoBD+lVavLD+fW+sf5N/6KjM/SJ7K76MvAmaqAZe2AS/BuFjSDlp5z1vrq5YLd67iJVl5N7fgR2S91kG7tZFcBzj+ea60j53RTrN/34I4+B0jjISlhGSbWfsq9Ei4mwk+5D6UVtoN+PB0Iezu7Y6OOuYodcNKGiEqMUTiSwyUN/wisHwF47t/WYiXn2m1hJQ5k40/2xKEKgw1o9eHfnjtD13mRMYjEefWTfChcGIAEJgJAABwsBAAIkBvEHARJTDxy1F+0vBeXz3nVlBvI9tUAjAwEBBV0AEAAAAQAMgIqA0goBiEqF9QAA',
);
const SEVEN_ZIP_OPEN = bytesOf(
  'N3q8ryccAATy5pgfjAAAAAAAAAAhAAAAAAAAADDX6pTgACYAF10AMxpJ1reRh0hTrbpeaePQ6xHNltE8sAAAAACBMweuD8/88GwP6+qcvzY9/ojt+g2tS0Y5pyrEtTEvraYLMEKcNfaqav4t/mrk6L8ePcxfUzcX9BkFVJtpJFtMCCoD0OC4f/SzMidh0Yk19JWi4PKlqlNL6KzdFjU5bjihbJ9sZAVjFBcAABcGHwEJbQAHCwEAASMDAQEFXQAQAAAMgMIKAf74fgEAAA==',
);
// One page written by qpdf 11: with a table or a stream of references, and linearised.
const PDF_40 = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA4WSv27bMBDGdz1Cu9ziMRXJIykSEDw0toGiLRI4aZcgAyUeXRWuFMgskHTo2uY1OvQJuvexgi5FKSWxHXioOAj4eN/v/nFyOlsc8Rcym/y++/E348Cgqz5mZQn5qVvRBkRSlpCf31wR5McuunW3guk0o9YPgWLPcNx9biNwyF83fgMXgKP18tF8z9tZ8Ym1jdTGDcj7dG/JN+5ld50oLB2bzuVA6FPQ05IG6h5U7kHfULuKH4CnihbNOlKf/msXaUZ150fTJvbkPmW/nv989v3bn69zc5swD+IDUO0BHyln0bXe9X6bQjLIT6A0CgMRBq0UCzVWteCisAU58tbWta1IIcpCGXQFGhIq+FBxIUUVLKLW09QOHEnIl6nH/B2Uqi4McnQYMPCCgi8U9+Q18aBtJRmhkeQkR5LWB3SBsZohdzZIblTNEvB9WshuPNc9hYyBztj2g1QtKgiw1Xjqebxpd5qWBxoXeKAJZg41Y3da7F2zTjMcxrnsuuG5jMs8a74QaMhfzeCiRC65skKnuowtLIrUphZaIhpMA1XT/0ek1zJv6/7mKoIaM4zbdn0cJyCtyiaT+cki+wdhZ+gwAAMAAA==',
  ),
);
const PDF_256 = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA4VTO4scRxDO5xc4Mh14Q2n6/YDlQKfdBWOJE3e6AyMuqO6uPq3ZmzlmR+KkQPhHOBQKpFQoViJkMPgfCGX3B+xMgQKBcM3oHisu8PQw3VOPr76qrprcmy1uiJuumrz//PJrJRhnbfytmk5ZPT/tsVkv22bNht9bs+35eNiGNR5gN2hYTa4blnfwMa6YZ1tbw1vfgyNcM0mYu6y+/+QEWX0beli1R6SusMlDKLkR8nb7qOmZYPUvy7xmD5gaXQ8vnL/hXbmq71wbItGvmf4W7i7mJWy3p4TCaQVahwNCR0bfUxpQN0D1BugdbI76h0xJVi+Wqx472lfQ4wxTm0endd8hHFcfP3z64fXk3zd/8LNnv6uzv37cf/Xi7U//fHn39M/nv779e4uwzy3Po5hN6ouxrnt9Pj/detQ/nD8eiNazNu2cYDMY3SXFfO9AbdI6L/QFub0emgxdvjSRxrJ6h00jRBWjU2C01wWKzU5YrzXk6KMLoRTjYki5gBcFIebgOdcBgLSQkpFccOlDBq0VOK0S55CFVDGoorND4rBD3aGcQQDgSQNaLMGbrJG75E0SMUfpZCrocpJWZwheW6N4NN5FjDJrKYeeYTc0fbE7prbzmXvBk4do0Aa03CqZUx7Ye6d4IPtdZoe8jxcXBaStu/rZZ9Mki0tSCpXRpeKjKFwEw1OgdIi85YrSiElG650xQAI6c0AXPIicvVQKc9ApSMsL+fMgtAQ0PgtjMWgisU+5EyFvpCE/kVHY6ChnE6hoQvFieA6YnEpUB6W0ldLwkkSSKmQZYkDBCeaAmY1GPO2wVJzZil8+zBqjDCvsUiaokUZNcymjeNdlPlyTSaevyZSzV7K+g+WK2mpoyd22HQZzHJu95VMcqv7zjD2YKqGHNOkmjQ8uKKnoWul+lfJKumC2/t+C5nLepO7JSc/MGGGcK+j6sQJBqmoyme8sqv8ACHQBb6wEAAA=',
  ),
);
const PDF_STREAM = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA4VTXUgUURhdijaaB5HsIajgEq0R5e7MvfMLiynuroTprq4/xVJ0Z+aOrrk7Nnst9WGJQiiRijSCUCShH3wQfEkozF4MCXoQpId6s6DsBzQijaS6q5trWAQD3zfznbnnO2fOeCKBUJHglTnPxOLQD04APLD1Zs7vB74IbiQpgNiTGuCr7WglwFeGKW6xG0FxMUeSZgYI172wignrzVGaAL6jJNlIm4AAVeALxVsocVhtwZQEiGGbDFgFYGbipCjQMiemqENwgvt5Xx1aWpQqy889fTZ9ajPYMzPSlC5IP+8x7N6TJWM9eT0Xt7+eefd1rOtOGz5w79Fp6+237k95k3O7Ku7Wha/2Lo/M7Vw+473S9VBePr+vq5pE4+nRgw2oYDpw61D5/gvz47eN4S2jL0b2ugbE2Vj3IO17P1/af334+NL3zpfbdjNh2U2yEqV1ErOiEPy7ppyKioXa2IC37+bW6VcTj6vcn0sCs5fLk+M7ekHwY5138MEGFnkdS1kIZEqUmtmutI02Bc+SJAW+gG2EW0kyA6pkg2C0Hua8ltkGmWttuSjFSRM75p+fIwz8iqKrls5rKg+hibCORIgUgiVZRAavKgLPegEiy5AsVdUtTUNYVg0DS5YAdZG3GEcEFInAVwPEDE0i9HtfVpzcTR3w66qiyIpqCtAweQ0TSVR5ghRJNLCpSDrmBQhFScaaoLOhwDZRGJmps85QFUNkVPWMJJc5ZUPmjtUQa02iyP8jcKs1gp1EasXVMrulLZFMZQREHGLGDWo7zKAVAxtADAgsoAI4wTTaNgXC6o8QjXcSwDw8EgAxPxJEQdKgLCFJ1RQNQaSKMmQeIhVBRZOK/49gxweThtPRSoG8wpDLUHu/obs2FYbcaXeh212W/yH/0uSTqS+D1QuHr91wv4HNyOVSxM1T3IYwpSh2aLtDLE7WIOfxBMMh7hfyxmvx6gMAAA==',
  ),
);
const PDF_LINEAR = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA71US4scVRQGH4i9EFxIcGMuaO9M6r4f0nTITHermMyM05mREGZxn5OWnuqhumacuFJBUARBMMSNCD4QITt/QHa6F5W4MoIgCAqKorgQT1V6emoyA27E6qbq3nMP937fOd/92iu9wSlyWrXaN/54/+8WRRhN3POtTgdl50Z5tMXoxRgQgRkiimGUPYUuIUKUQoQTtIGyZSRR1kdEYIGypSrzAkwURd1uK+ah2gz9/09rr4gJ2MgWnj1EoPqLcrQfE8fEJHC8I1azvTPGiD4S45gdxMrCjsaxQFUlVyeTEsEaWkXZEAqKNMpWirgLhZL8KPjs6R661GFQYGGoFExoowyjTHNJJWdMM6qM6P57BrSnn/viynaJeH069GRa2qKsq4Nb7XZ/edBijZ7398qYT0eTfFoDP9tb6NeDBTuN67GoVlAGcmlknou7cQyMut3qn63YzTgFGdRkL1zZjihbtKUdTzYbiuCNIxcH9QnDMsxGZ3fKy/3dmJco60388nbMq6TzsNAfrjNQYsw3y8uI0f0jB6NxCZWGLWwebBHmKVTISqAdIrHSwRHFjdeUxJQScUQ6CXELI+1SsC5iGBvnNU8RMqM3HEeMPTeaSJ+09IoFaQ1zNjluOeYscRwUJYBhGeqUFGQY5TDHxmOrY9UKZZRKMinqvXJU8KiCDsF6LeFJJCXDvAw0eYOr6qFTHN6x2IIGKCa1jozHZAXnXHmmXEqYqeSFNYRB/mp1+4bl1mC/gPApDiZrqOOoI4IE7hiVSnthBDCXsJ1OJBoRrVHUeWZwFFwJQaxUIdBoGA9aaA7JyVqmrFOUek1oCFha5ymmnEkeKIBYA+4+CO84vAklLoIuoV4sGEYSnGSIVN5za4Sn1pLouSeWaYIT04pzoBdgm3UkGhIRDYnsN3gwtmXsRT8JoKohYnLeabhGtbaLaLdaf17fiWv3qLdfe/buEx88+cJd186cfm/plfKXJ776/dP2+iPTL+8XDy6evPhX8eavv33x8UcPffL19TduPnfjrTNXX/rhm2uP/VRBmG01AyObep3koPxyitRtjZ+PYWQXJnvgi2AdyMBvo7oGRaXgQ/eguhoNhqrptXNNH0v2gNu34nH8wM8nb118/bv7bqaHX+589vmtR9+J37/67o8fXr33xNIR6OQQ9J0aU/bMKEwBr6zRbTTxTRsAb7sEonMPBWeTAtwGpbnnVbZ/rOfVPkf/Sy87ZF6UyJl9/QOKZGS4wgYAAA==',
  ),
);
const PDF_OPEN = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA4WQzU6DQBSF68pknuJuWCrMHwVDWFgkGjWS6q5hMcoUMcgYGJPqs7jyKbrzsdwZB6iFpgvnLiY5c893zx0rieIjfMyQ9fX9+YMwOKDun1AQgJ2IXDZAjDIH++7tRYI9E1qUKocwRLLK2kYyMszUa6UBg31ZZA0sgHbW9M/c8wYr3bFWWla6AdaPu5ZZIU7VylAcU76ptCXUpmk3UksdQdkIeiWrXD8CNoniotSyNncptIzkg8o6U6NrKZ7R6oMm54eTg5PJ2mA24ga4quUSOcCRsz3gck45LGGrYQ79SzVoLtvTMKF7GnG8QdO1KEqTs00/V6r9zG7V2+JdAgf7IoJFQDHD3CeuyeD5U58S6jGXuIxSj5Kpz8P/O9J+eVHrbj3i+ciyzm5i9AuiivkZDwIAAA==',
  ),
);
const PDF_OPEN_STREAM = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA1MNcHHTNdQz5VLd/33RPy5DBQOF/KQsLhsbBf2QyoJUBX3/pKzgklwFfZ/UvPSSDAVDQ0sFfbfMnJLUIiCdk1iS6pKanJ8CVOinYAySKSouUTA0UbCz4youKUpNzOWqmGMcZBBgEGZgFmgQaLD9waaNgRf4PXz8ddm6JDVYNF+0h4gt0XphrT5N5dmT5do3bjaGWjyf/myqhoTWi+r0ZSLaLsxbm64cOxTizNOw+qy251ltzTCDVokXs2dNmvliSjzjlTSGlmkOEtyXglhCWrI0T0hM0GQwfqo1NTUvBeoAIAvkJVMkr8E9g90vKI4P8GBnYLRi2IFhoBlGWEUEpabBDTc2wRFQEDogsSi3WAGk1zk/pzQ3r1gBqD6gKDUlM7kkv0jB0AjoCgX9cIVoBUMFIyCOVdAPys8vAbINFIIU9IMzq1IVzBX0PV0Uom2MDU0MTS2NzEyNTS0szS2NjYwtTMyMzEyMjS2MjcwtTe0Iq4hF8XRyEgOTmhtbncDHzkbOE8ktAv8l4/4lJyXwpDAw6N5m8eHCCIziksSikoqi1DQuY0NgYlJ19XfjAgBLFgFaXAIAAA==',
  ),
);
// A document encrypted by officecrypto-tool 0.0.19.
const OFFICE = gunzipSync(
  bytesOf(
    'H4sIAAAAAAACA7twXvDBwo1SDxnQgB0DM8O//5wMbEhijEDMBOMIQPgg/O////8w4f+jYEiBv0D8bxSPaAzK08xAzALNy6A8zw5lj+LhjYMY8oGwhEGBwZUhD0gXMVQykALEGFgZYWUJI5F6QGkNVpEwMgQzZDAYA2EJgxeDKQOpQIiBCWw/E7TuIVYfC5QG+ToZ7OsCoAsygWGRx+AJxGlAFjFADmo/Mwn2g8LpAVb7UxlSGAIYEoEi2UAyHcgnBJSg9sMAMfazAvEKKNvcyMyIgQLAAoxIFSDdA8QqUDG+NKB4AwMDEDFIIKn1BYYvyK/5DMVAnAZPdRlAv4JCAeR7BYYgYIpwBNIgMRDfEagmGEg7w0MpHxgyRUD5AqBOkIkKwDADmVoG5KUATSkCigCbJwyXf5+dLqc3d9fUiDUfON/KLFeLcv39fX3ap4ZNCY5XD6raiwDVBPFaGzF831E8+0BO6vJjqknsDS6iYTsPyT01fPHsdEZCFiH/T4LSXtGGZiofWRbJrWTW2fZK5vaDT112J3fULRScEnh8edLPfKaw4/ME++3/dTO6r1vH72zC5+z39mDc5QW5YkulTx24sXdP6vdtqbyWvfsNvt+7VdnCWxGmeUpP6UPsCT7xg6sjxZedYfywxyaIz+u5seRCNpWH57IXHdogknZ7QVd8e5l1pPquX4yKST+v8C5xMKyYo2Fx3YX/uhzL74fG3OmHDpnEmu84hMv9AGaoT+UACgAA',
  ),
);

const HIDDEN = 'is encrypted: a RAR archive with a password, which also hides its file names';
const LOCKED_7Z = 'is encrypted: a 7z archive with a password';
const LOCKED_PDF =
  'is encrypted: a PDF with a password (it may open without one, with printing or copying restricted)';
const LOCKED_OFFICE = 'is encrypted: an Office document with a password';
const ofTwo = (first: string, second: string) =>
  `is encrypted: a password protects 2 of 2 files in it (${first}, ${second})`;

describe('encryption in files written by other programs', () => {
  it.each([
    ['RAR 2', RAR_2, ofTwo('FILE1.TXT', 'FILE2.TXT')],
    ['RAR 4', RAR_4, ofTwo('file1.txt', 'file2.txt')],
    ['RAR 4, with its names', RAR_4_NAMES, HIDDEN],
    ['RAR 4 without a password', RAR_4_OPEN, null],
    ['RAR 5', RAR_5, ofTwo('stest1.txt', 'stest2.txt')],
    ['RAR 5, with its names', RAR_5_NAMES, HIDDEN],
    ['RAR 5 without a password', RAR_5_OPEN, null],
    ['7z', SEVEN_ZIP, LOCKED_7Z],
    ['7z, with its names', SEVEN_ZIP_NAMES, LOCKED_7Z],
    ['7z without a password', SEVEN_ZIP_OPEN, null],
    ['PDF, 40 bits', PDF_40, LOCKED_PDF],
    ['PDF, 256 bits', PDF_256, LOCKED_PDF],
    ['PDF with a stream of references', PDF_STREAM, LOCKED_PDF],
    ['PDF for the web', PDF_LINEAR, LOCKED_PDF],
    ['PDF without a password', PDF_OPEN, null],
    ['PDF with a stream of references, without a password', PDF_OPEN_STREAM, null],
    ['Office', OFFICE, LOCKED_OFFICE],
  ])('%s', (_, bytes, words) => expect(wordsOf(bytes)).toBe(words));

  it.each([
    ['RAR 4', RAR_4],
    ['RAR 5', RAR_5],
    ['7z', SEVEN_ZIP],
    ['PDF', PDF_STREAM],
    ['Office', OFFICE],
  ])('[bad input] %s, truncated or changed at any byte, is not read beyond its end', (_, bytes) => {
    for (let index = 0; index < bytes.length; index += 1) {
      wordsOf(bytes.subarray(0, index));
      const changed = Buffer.from(bytes);
      changed[index] = 0xff;
      wordsOf(changed);
    }
  });
});

describe('a PDF', () => {
  const of = (text: string) => Buffer.from(`%PDF-1.7\n${text}`, 'latin1');
  const SEALED = 'trailer\n<</Root 1 0 R/Encrypt 2 0 R>>\n';
  const OPEN = 'trailer\n<</Root 1 0 R>>\n';

  it.each([
    ['whose end points nowhere', of(SEALED), true],
    ['whose table is not where its end points', of(`${SEALED}startxref\n1\n%%EOF`), true],
    ['after other bytes', Buffer.concat([Buffer.from('junk\n'), PDF_40]), true],
    ['counted from the beginning of the file', of(`xref\n0 0\n${SEALED}startxref\n9\n%%EOF`), true],
    [
      'with an older trailer that is open',
      of(`${OPEN}xref\n0 0\n${SEALED}startxref\n${9 + OPEN.length}\n%%EOF`),
      true,
    ],
    [
      'that contains an encrypted one',
      of(
        `1 0 obj<<>>stream\n${SEALED}endstream endobj\nxref\n0 0\n${OPEN}startxref\n${9 + 18 + SEALED.length + 17}\n%%EOF`,
      ),
      false,
    ],
    ['that only mentions encryption', of('1 0 obj<</Title(/Encrypt 2 0 R)>>endobj'), false],
    ['that only declares its metadata unencrypted', of('trailer<</EncryptMetadata false>>'), false],
    ['with the end of a dictionary in its ID', of('trailer<</ID[(a>>\\)>>)(b)]/Encrypt 2 0 R>>'), true],
  ])('%s', (_, bytes, isLocked) => expect(isLockedPdf(bytes)).toBe(isLocked));

  it('with a trailer of unclosed texts is read in linear time', () =>
    expectLinear(24_000, (count) =>
      isLockedPdf(of(`xref\ntrailer<<${'(\\'.repeat(count)}\nstartxref\n9\n%%EOF`)),
    ));

  it.each([
    [1, true],
    [2, true],
    [3, false],
  ])('with a limit of two occurrences, one at position %d is found: %s', (place, isLocked) => {
    const bytes = of(`${'1 0 obj<</Encrypt 1 0 R>>endobj\n'.repeat(place - 1)}${SEALED}`);
    expect(isLockedPdf(bytes, 2)).toBe(isLocked);
  });
});

it.each([
  [4, 1],
  [5, 2],
  [6, 2],
])('of a RAR archive, the first %d blocks contain %d files', (most, files) => {
  const list = rarList(RAR_4, most);
  expect([list?.files.length, list?.files.filter(({ encrypted }) => encrypted).length]).toEqual([
    files,
    files,
  ]);
});

it.each([
  [209, false],
  [210, true],
  [211, true],
])('a directory of 210 bytes is unpacked with a limit of %d: %s', (most, isLocked) => {
  expect(isLockedSevenZip(SEVEN_ZIP, most)).toBe(isLocked);
});

describe('documents of Office before 2007', () => {
  const record = (type: number, length: number) => {
    const bytes = Buffer.alloc(4 + length);
    bytes.writeUInt16LE(type);
    bytes.writeUInt16LE(length, 2);
    return bytes;
  };
  const [BOF, OTHER, PASS] = [record(0x809, 16), record(0x42, 2), record(0x2f, 54)] as const;
  const book = (...records: Buffer[]) => Buffer.concat([BOF, ...records]);
  const word = (flags: number) => {
    const bytes = Buffer.alloc(32);
    bytes.writeUInt16LE(flags, 10);
    return bytes;
  };
  const user = (token: number) => {
    const bytes = Buffer.alloc(20);
    bytes.writeUInt32LE(token, 12);
    return bytes;
  };

  it.each([
    ['Workbook', book(PASS), true],
    ['Workbook', book(OTHER, PASS), true],
    ['Workbook', book(...Array<Buffer>(98).fill(OTHER), PASS), true],
    ['Workbook', book(...Array<Buffer>(99).fill(OTHER), PASS), false],
    ['Workbook', book(OTHER), false],
    ['Workbook', book(OTHER).subarray(0, -1), false],
    ['Book', book(PASS), true],
    ['WordDocument', word(0x0100), true],
    ['WordDocument', word(0x8100), true],
    ['WordDocument', word(0xfeff & ~0x100), false],
    ['WordDocument', Buffer.alloc(12), false],
    ['Current User', user(0xf3d1c4df), true],
    ['Current User', user(0xe391c05f), false],
    ['Current User', Buffer.alloc(15), false],
    ['ENCRYPTEDPACKAGE', Buffer.from('x'), true],
    ['Other', book(PASS), false],
  ])('%s, case %#: %s', (name, bytes, isLocked) => {
    expect(wordsOf(compoundFile({ [name]: bytes }))).toBe(isLocked ? LOCKED_OFFICE : null);
  });
});

describe('OpenDocument', () => {
  const zipOf = async (level: number, files: Record<string, string>) => {
    const zip = new ZipWriter(new Uint8ArrayWriter(), { level });
    for (const [name, text] of Object.entries(files)) await zip.add(name, new TextReader(text));
    return Buffer.from(await zip.close());
  };
  const LIST = (inner: string) =>
    `<manifest:manifest><manifest:file-entry manifest:full-path="content.xml">${inner}</manifest:file-entry></manifest:manifest>`;
  const ENCRYPTED = LIST('<manifest:encryption-data manifest:checksum="x"/>');

  it.each([
    ['encrypted', 9, { mimetype: 'x', 'META-INF/manifest.xml': ENCRYPTED }, true],
    ['encrypted, not compressed', 0, { mimetype: 'x', 'META-INF/manifest.xml': ENCRYPTED }, true],
    ['open', 9, { mimetype: 'x', 'META-INF/manifest.xml': LIST('') }, false],
    ['a zip with such a text in another file', 9, { 'a.xml': ENCRYPTED }, false],
  ])('%s', async (_what, level, files, isLocked) => {
    const bytes = await zipOf(level, files as Record<string, string>);
    expect(wordsOf(bytes)).toBe(isLocked ? LOCKED_OFFICE : null);
    for (let index = 0; index < bytes.length; index += 1) {
      wordsOf(bytes.subarray(0, index));
      const changed = Buffer.from(bytes);
      changed[index] = 0xff;
      wordsOf(changed);
    }
  });
});

it('a zip with a password behind another zip, or other bytes, is encrypted', async () => {
  const zipOf = async (name: string, password?: string) => {
    const zip = new ZipWriter(new Uint8ArrayWriter(), password === undefined ? {} : { password });
    await zip.add(name, new TextReader('text'));
    return Buffer.from(await zip.close());
  };
  const [open, closed] = [await zipOf('open.txt'), await zipOf('closed.txt', 'secret')];
  const words = 'is encrypted: a password protects 1 of 1 files in it (closed.txt)';
  // As unzip and Python list them: by the end of the file.
  for (const before of [open, closed, Buffer.from('PK\x03\x04 and more')])
    expect(wordsOf(Buffer.concat([before, closed]))).toBe(words);
  expect(wordsOf(Buffer.concat([closed, open]))).toBe(null);
});

it('an Office document that only mentions encryption is not encrypted', () => {
  const open = Buffer.from(OFFICE);
  const name = Buffer.from('EncryptedPackage', 'utf16le');
  const index = open.indexOf(name);
  open.write('x', index, 'latin1');
  name.copy(open, open.length - name.length);
  expect(wordsOf(open)).toBeNull();
});

it.each([
  [1_972, true],
  [1_973, true],
  [1_974, false],
])('a PGP message that begins after %d characters of a text is found: %s', (before, isLocked) => {
  const armor = '-----BEGIN PGP MESSAGE-----\r\n\r\njA0E\r\n';
  expect(isArmored(`${'x'.repeat(before - 1)}\n${armor}`, new Unpacking())).toBe(isLocked);
});

it('a quoted PGP message does not count', () => {
  expect(isArmored('> -----BEGIN PGP MESSAGE-----\n', new Unpacking())).toBe(false);
});
