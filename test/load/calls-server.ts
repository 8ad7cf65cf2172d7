// The other side of calls.ts, as a process of its own: answers at once, and says what processor time it has used.
import { ContactsConsent } from '@lettergate/contracts/contacts/v1/contacts'
import { serveRpc, type Operations } from '@lettergate/rpc'
import { createService, type CallScope } from '@lettergate/service'

const service = createService('calls', { logLevel: 'warn', bindAddress: '127.0.0.1' })
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
