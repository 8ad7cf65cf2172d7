import { fromBinary, toBinary, type DescMessage, type DescMethod, type MessageShape } from '@bufbuild/protobuf'
import type { MethodDefinition } from '@grpc/grpc-js'

const encode = (schema: DescMessage) => (value: object) => {
  const bytes = toBinary(schema, value as MessageShape<DescMessage>)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
const decode = (schema: DescMessage) => (bytes: Uint8Array) => fromBinary(schema, bytes)

/** The definition of a protobuf-es method for grpc-js. */
export function definitionOf<Request extends object = object, Reply extends object = object>(
  method: DescMethod,
): MethodDefinition<Request, Reply> {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: encode(method.input),
    requestDeserialize: decode(method.input),
    responseSerialize: encode(method.output),
    responseDeserialize: decode(method.output),
  } as unknown as MethodDefinition<Request, Reply>
}
