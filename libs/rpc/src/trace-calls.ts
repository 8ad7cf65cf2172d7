import type { DescMethod } from '@bufbuild/protobuf'
import {
  SpanKind,
  isTraced,
  openSpan,
  traced,
  untraced,
  type Carrier,
  type OpenSpan,
} from '@lettergate/service/tracing'

const nameOf = (method: DescMethod) => `${method.parent.typeName}/${method.name}`
const attributesOf = (method: DescMethod) => ({
  'rpc.system.name': 'grpc',
  'rpc.method': nameOf(method),
})

const noSpan: Pick<OpenSpan, 'carrier' | 'end'> = { carrier: {}, end: () => undefined }

/**
 * Opens the CLIENT span of a call. Its carrier is sent to the other side. A call without a trace (a poll, a probe) starts no
 * trace, and neither does its server.
 */
export function openCall(method: DescMethod, target: string): Pick<OpenSpan, 'carrier' | 'end'> {
  if (!isTraced()) return noSpan
  const [address, port] = target.split(':')
  return openSpan(nameOf(method), {
    kind: SpanKind.CLIENT,
    attributes: { ...attributesOf(method), 'server.address': address, 'server.port': Number(port) },
  })
}

/** Runs an operation inside the SERVER span of its call, in the trace of the caller. */
export function servedCall<T>(method: DescMethod, parent: Carrier, work: () => Promise<T>): Promise<T> {
  // A call of a shared stream runs in the context that reads the stream, so that context is left.
  if (!parent.traceparent) return untraced(work)
  return traced(nameOf(method), { kind: SpanKind.SERVER, parent, attributes: attributesOf(method) }, work)
}
