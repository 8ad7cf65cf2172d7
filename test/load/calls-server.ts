// The server of calls.ts, in its own process: answers at once, and reports its processor time.
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { serveRpc, type Operations } from '@lettergate/rpc'
import { createService, type CallScope } from '@lettergate/service'
import { certificateFiles } from '@lettergate/stage/certificate-files'

// the directory with the certificates; without it the calls are plain text
const directory = process.argv[2]
const tls = directory ? certificateFiles(directory, 'contacts-consent') : undefined
const service = createService('contacts-consent', { logLevel: 'warn', tls })
const operations = {
  upsertContact: async (_: CallScope, request: { email: string; firstName?: string }) => ({
    created: true,
    contact: { id: '019a0000-0000-7000-8000-000000000000', email: request.email, firstName: request.firstName },
  }),
} as unknown as Operations<typeof ContactsConsent, CallScope>
const server = await service.use(
  serveRpc(service, { port: 0, rpc: ContactsConsent, operations, ctxOf: (scope) => scope }),
)
process.on('message', () => process.send!(process.cpuUsage()))
process.on('disconnect', () => void service.stop())
process.send!(server.port)
