import { Metadata, type Client, type sendUnaryData, type ServiceError, type ServerUnaryCall } from '@grpc/grpc-js'
import { service as health } from 'grpc-health-check'
import type { Service } from '@lettergate/service'
import { fromServiceError } from './wire.ts'

interface HealthRequest {
  service: string
}
interface HealthReply {
  status: string
}
export type Check = (call: ServerUnaryCall<HealthRequest, HealthReply>, done: sendUnaryData<HealthReply>) => void

const { path, requestSerialize, responseDeserialize } = health['Check']!

/** The check of the health protocol that also answers for the conditions of this service, by their names. */
export const withConditions =
  (service: Service, check: Check): Check =>
  (call, done) => {
    const name = call.request.service
    const condition = service.conditions.get(name)
    if (!condition) return check(call, done)
    void answer()

    async function answer() {
      const isMet = await meets(service, name, condition!)
      done(null, { status: isMet ? 'SERVING' : 'NOT_SERVING' })
    }
  }

async function meets({ log }: Service, name: string, condition: () => Promise<void>): Promise<boolean> {
  try {
    await condition()
    return true
  } catch (error) {
    log.warn({ err: error, condition: name }, 'a condition does not hold')
    return false
  }
}

/** Asks a service for one of its conditions. */
export const askCondition = (
  channel: Client,
  condition: string,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const answered = (error: ServiceError | null, reply?: object) => {
      if (error) reject(fromServiceError(error, name))
      else resolve((reply as HealthReply).status === 'SERVING')
    }
    const deadline = Date.now() + timeoutMs
    channel.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { service: condition },
      new Metadata(),
      { deadline },
      answered,
    )
  })
