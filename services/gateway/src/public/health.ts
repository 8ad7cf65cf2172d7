import { Fault } from '@lettergate/fault'
import type { Handler } from '../engine/exchange.ts'
import type { Service } from '@lettergate/service'

/** Liveness, answered from memory. `production_sending_enabled` is the effective platform gate as last read. */
export const health =
  (service: Service, isProductionOpen: () => boolean): Handler =>
  ({ answer }) =>
    answer(200, {
      status: 'ok',
      service: service.name,
      role: service.role,
      production_sending_enabled: isProductionOpen(),
    })

const checkTimeoutMs = 1_500

/** Readiness: checks the database and the other dependencies of requests, each within 1.5 s. If one fails it is 503, with the standard error page. */
export const readiness =
  (service: Service): Handler =>
  async ({ answer }) => {
    const failed: string[] = []
    await Promise.all(
      [...service.checks].map(async ([name, check]) => {
        const { promise, reject } = Promise.withResolvers<never>()
        const timer = setTimeout(() => reject(new Error('timed out')), checkTimeoutMs)
        try {
          await Promise.race([check(), promise])
        } catch (error) {
          service.log.warn({ check: name, err: error }, 'not ready')
          failed.push(name)
        } finally {
          clearTimeout(timer)
        }
      }),
    )
    if (failed.length > 0)
      throw new Fault(
        'unavailable',
        'not_ready',
        'The service is not ready: a part that requests need does not answer. Try again in a moment.',
      )
    answer(200, { status: 'ok', database: 'ok' })
  }
