import { findJaeger } from '../jaeger/jaeger.ts'
import { loadConfig } from './config.ts'
import { labelOf } from './processes.ts'
import { up } from './up.ts'

/** Starts the stack with traces, in Jaeger if it is on PATH, otherwise in the stack's own viewer. Prints where to look. */
export async function observe(print: (line: string) => void): Promise<void> {
  const { environment } = loadConfig()
  const jaeger = environment.LETTERGATE_JAEGER ?? findJaeger(environment.PATH ?? '') ?? ''
  const config = loadConfig({ LETTERGATE_TRACES: 'true', LETTERGATE_JAEGER: jaeger })
  const stack = await up(config, print)
  print('')
  if (stack.traces_url === undefined)
    print(`  traces    are sent to OTEL_EXPORTER_OTLP_ENDPOINT, ${environment.OTEL_EXPORTER_OTLP_ENDPOINT}`)
  else {
    const found = jaeger === '' ? 'Jaeger 2 is not on PATH, so this is the viewer of the stack' : `Jaeger, ${jaeger}`
    print(`  traces    ${stack.traces_url}      ${found}`)
    print(
      `  one trace ${stack.traces_url}/${jaeger === '' ? 'traces' : 'trace'}/<trace_id>, as in the lines of ${config.stateDirectory}/logs`,
    )
  }
  print('  metrics   of each process, at /metrics:')
  for (const running of stack.processes.filter(({ role }) => role !== 'stand-in'))
    print(`            ${labelOf(running).padEnd(28)}${running.health_url}/metrics`)
  print('  names     docs/observability.md')
}
