import { expect, test } from '@jest/globals'
import { createService } from '../src/service.ts'
import { collectProcessMetrics } from '../src/process-metrics.ts'

test('process metrics have memory, processor time and use of the event loop, and need no timer', async () => {
  const service = createService('test', { logLevel: 'silent' })
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'ELDHistogram' || name === 'Timeout')
  const before = timers().length
  collectProcessMetrics(service)
  expect(timers().length).toBe(before)
  const text = await service.metrics.metrics()
  for (const name of ['process_resident_memory_bytes', 'process_cpu_seconds_total', 'nodejs_eventloop_utilization'])
    expect(text).toContain(name)
  expect(text).not.toMatch(/nodejs_eventloop_lag_(?:mean|p99)_seconds/)
  const used = Number(/^nodejs_eventloop_utilization\{[^}]*\} (\S+)$/m.exec(text)![1])
  expect(used).toBeGreaterThanOrEqual(0)
  expect(used).toBeLessThanOrEqual(1)
  await service.stop()
})
