import type { Handler } from '../engine/exchange.ts'
import type { Service } from '@lettergate/service'

/** Alive: answers from memory. `production_sending_enabled` is the effective platform gate as last read. */
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

/** Ready: the database and everything that requests need answers, each asked within 1.5 s. 503 while one does not. */
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
    answer(failed.length === 0 ? 200 : 503, {
      status: failed.length === 0 ? 'ok' : 'unavailable',
      database: failed.includes('database') ? 'unavailable' : 'ok',
    })
  }
