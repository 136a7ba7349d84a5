/*
 * A native agent that asks Lucce where threads wait for monitors: at each contended enter it captures the exact context of the instruction that
 * enters, as one number, and at the end it prints each context once, with its count. `monitorenter` is no place where the program
 * publishes its context; capture finds that out and walks.
 *
 *     java -agentpath:liblucce.so -agentpath:./agent.so ...
 */
#include <jvmti.h>
#include <stdio.h>

#include "lucce.h"

#define CONTEXTS 1024

static const struct lucce_api *lucce;
static jrawMonitorID lock;
static int known;
static struct {
    uint64_t captured;
    long times;
} contexts[CONTEXTS];

static void JNICALL on_contended(jvmtiEnv *jvmti, JNIEnv *env, jthread thread, jobject object) {
    uint64_t captured = lucce->capture(env);
    (void)thread, (void)object;
    /* Outside of the program's code, or lost. */
    if (captured == 0) return;
    (*jvmti)->RawMonitorEnter(jvmti, lock);
    int at = 0;
    while (at < known && contexts[at].captured != captured) at++;
    if (at < CONTEXTS) {
        contexts[at].captured = captured;
        contexts[at].times++;
        if (at == known) known++;
    }
    (*jvmti)->RawMonitorExit(jvmti, lock);
}

static int32_t print_frame(const struct lucce_frame *frame, void *data) {
    (void)data;
    printf(" %s.%s(%s:%d)", frame->class_name, frame->method, frame->file != NULL ? frame->file : "?", (int)frame->line);
    return 0;
}

static void JNICALL on_death(jvmtiEnv *jvmti, JNIEnv *env) {
    (void)jvmti, (void)env;
    for (int at = 0; at < known; at++) {
        printf("contended %ld times:", contexts[at].times);
        lucce->decode(contexts[at].captured, print_frame, NULL);
        printf("\n");
    }
    fflush(stdout);
}

static void JNICALL on_init(jvmtiEnv *jvmti, JNIEnv *env, jthread thread) {
    (void)env, (void)thread;
    /* Not earlier, so that this agent may stand before Lucce on the command line. */
    lucce = lucce_find(LUCCE_VERSION);
    if (lucce == NULL) fprintf(stderr, "agent: there is no Lucce in this JVM\n");
    else (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *jvmti;
    jvmtiCapabilities capabilities = {.can_generate_monitor_events = 1};
    jvmtiEventCallbacks callbacks = {.VMInit = on_init, .VMDeath = on_death, .MonitorContendedEnter = on_contended};
    (void)options, (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
    (*jvmti)->AddCapabilities(jvmti, &capabilities);
    (*jvmti)->CreateRawMonitor(jvmti, "contexts", &lock);
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
