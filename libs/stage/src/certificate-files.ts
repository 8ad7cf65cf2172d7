import { join } from 'node:path'
import type { TlsFiles } from '@lettergate/service'

/** The paths of a service's certificate and of its authority's certificate in a directory of certificates. */
export const certificateFiles = (directory: string, name: string): TlsFiles => ({
  ca: join(directory, 'ca.pem'),
  cert: join(directory, `${name}.pem`),
  key: join(directory, `${name}-key.pem`),
})
