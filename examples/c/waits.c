/* Where do threads wait for monitors? For each wait one number is kept; when the JVM ends, each is printed as a stack, in one line. */
#include <jvmti.h>
#include <stdio.h>
#include "lucce.h"

static const struct lucce_api *_Atomic lucce;
static uint64_t waits[1 << 16];
static _Atomic uint16_t next; /* starts again from 0: the last 65536 waits are kept */

static void JNICALL on_wait(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject monitor) {
    if (lucce == NULL) lucce = lucce_find(LUCCE_VERSION);
    if (lucce != NULL) waits[next++] = lucce->capture(env); /* the exact context of the instruction that enters */
}

static int32_t print_frame(const struct lucce_frame *frame, void *data) {
    return printf("%s.%s(%s:%d) ", frame->class_name, frame->method, frame->file ? frame->file : "?", (int)frame->line) < 0;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm) {
    for (int at = 0; lucce != NULL && at < 1 << 16; at++)
        if (lucce->decode(waits[at], print_frame, NULL) == LUCCE_OK) puts("waited");
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
    (*jvmti)->AddCapabilities(jvmti, &(jvmtiCapabilities){.can_generate_monitor_events = 1});
    (*jvmti)->SetEventCallbacks(jvmti, &(jvmtiEventCallbacks){.MonitorContendedEnter = on_wait}, sizeof(jvmtiEventCallbacks));
    return (jint)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
}
