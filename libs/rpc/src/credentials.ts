import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js'
import { readFileSync } from 'node:fs'

/** Files of a mutual TLS identity; both sides prove who they are. Unset means plain text inside a trusted network. */
export interface TlsFiles {
  ca: string
  cert: string
  key: string
}

export const serverCredentials = (tls?: TlsFiles): ServerCredentials =>
  tls
    ? ServerCredentials.createSsl(
        readFileSync(tls.ca),
        [{ cert_chain: readFileSync(tls.cert), private_key: readFileSync(tls.key) }],
        true,
      )
    : ServerCredentials.createInsecure()

export const clientCredentials = (tls?: TlsFiles): ChannelCredentials =>
  tls
    ? ChannelCredentials.createSsl(readFileSync(tls.ca), readFileSync(tls.key), readFileSync(tls.cert))
    : ChannelCredentials.createInsecure()
