/**
 * The event stream of one service's logs, `GET /api/deployments/ID/logs?service=NAME&tail=N`, as Server-Sent Events: the `event`
 * is the type, the `data` this record as JSON. First the last `tail` lines of every pod, oldest first, then what comes. A client
 * that loses the stream asks again and drops the lines it has. `notice` says in words why nothing comes (no pod yet, pod
 * replaced); `end` closes a stream that was asked not to follow, or whose deployment is gone. Comment lines every 15 s.
 */
export type LogEvent =
  | { type: 'line'; at: string; pod: string; text: string }
  | { type: 'notice'; message: string }
  | { type: 'end'; reason: 'complete' | 'removed' | 'signed_out' | 'access_removed' | 'shutting_down' };
