// Foundation's own key-value observing, as GNUstep has it, with the new and the old value asked for.
//
// An autorelease pool is drained every thousand operations, as a run loop would.

#import <Foundation/Foundation.h>

#include "gnustep.h"

@interface Source : NSObject {
  long value;
  Source *child;
}
- (long)value;
- (void)setValue:(long)newValue;
- (Source *)child;
- (void)setChild:(Source *)newChild;
@end

@implementation Source
- (long)value {
  return value;
}
- (void)setValue:(long)newValue {
  value = newValue;
}
- (Source *)child {
  return child;
}
- (void)setChild:(Source *)newChild {
  [newChild retain];
  [child release];
  child = newChild;
}
- (void)dealloc {
  [child release];
  [super dealloc];
}
@end

@interface Receiver : NSObject {
 @public
  long calls;
  long count;
  Source **observed;
}
@end

@implementation Receiver
- (void)observeValueForKeyPath:(NSString *)path
                      ofObject:(id)object
                        change:(NSDictionary *)change
                       context:(void *)context {
  calls++;
}
- (void)dealloc {
  // Nothing ends by itself here: an observer has to know where it put itself in, and take itself out.
  for (long i = 0; i < count; i++) [observed[i] removeObserver:self forKeyPath:@"value"];
  free(observed);
  [super dealloc];
}
@end

static __thread NSAutoreleasePool *pool;
static __thread int operations;

static void operate(void) {
  if (pool == nil || ++operations == 1000) {
    operations = 0;
    [pool release];
    pool = [NSAutoreleasePool new];
  }
}

static const NSKeyValueObservingOptions both = NSKeyValueObservingOptionNew | NSKeyValueObservingOptionOld;

void gnustep_start(void) {
  pool = [NSAutoreleasePool new];
  [NSThread currentThread];
}
void *gnustep_make_target(void) {
  GSRegisterCurrentThread();
  return [Source new];
}
void *gnustep_make_observer(void) {
  return [Receiver new];
}
void gnustep_release(void *object) {
  operate();
  [(id)object release];
}
long gnustep_calls(void *observer) {
  return ((Receiver *)observer)->calls;
}
void gnustep_set(void *target, long value) {
  operate();
  [(Source *)target setValue:value];
}
void gnustep_set_child(void *target, void *child) {
  operate();
  [(Source *)target setChild:(Source *)child];
}
void gnustep_add(void *observer, void *target, int through_child) {
  operate();
  [(Source *)target addObserver:(Receiver *)observer
                     forKeyPath:through_child ? @"child.value" : @"value"
                        options:both
                        context:NULL];
}
void gnustep_remove(void *observer, void *target, int through_child) {
  operate();
  [(Source *)target removeObserver:(Receiver *)observer forKeyPath:through_child ? @"child.value" : @"value"];
}
void *gnustep_make_life(long count) {
  Receiver *life = [Receiver new];
  life->observed = malloc(sizeof(Source *) * count);
  return life;
}
void gnustep_add_to_life(void *observer, long place, void *target) {
  Receiver *life = observer;
  life->observed[place] = target;
  life->count = place + 1;
  gnustep_add(observer, target, 0);
}
