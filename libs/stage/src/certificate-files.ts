import { join } from 'node:path'
import type { TlsFiles } from '@lettergate/service'

/** Where the certificate of a service lies in a directory of certificates, and that of their authority. */
export const certificateFiles = (directory: string, name: string): TlsFiles => ({
  ca: join(directory, 'ca.pem'),
  cert: join(directory, `${name}.pem`),
  key: join(directory, `${name}-key.pem`),
})
